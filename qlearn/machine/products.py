"""How torch adds and multiplies on this machine: what its kernels round, join or saturate."""

from __future__ import annotations

import warnings
from functools import cache

import torch


@cache
def torch_fuses() -> bool:
    """Say whether torch multiplies and adds by the fused instruction here, by trying.

    It does on processors with AVX2. Thirty-four numbers are whole vectors and a remainder; every
    second of them go one by one.
    """
    a = torch.full((34,), 1 + 2.0**-12, dtype=torch.float32)
    c = torch.full((34,), -1.0, dtype=torch.float32)
    once = 2.0**-11 + 2.0**-24  # (1 + 2^-12)² − 1; the product alone would lose its last bit
    results = [torch.add(c, a, alpha=a[0].item()), torch.addcmul(c, a, a)]
    results += [torch.add(c[::2], a[::2], alpha=a[0].item()), torch.addcmul(c[0], a[::2], a[::2])]
    return all(bool((result == once).all()) for result in results)


@cache
def fuses_averages() -> bool:
    """Say whether the fused observer rounds ``end + c·(batch − end)`` once here, by trying.

    It does where the compiler joined the product and the sum into one instruction, as it did for
    ARM. The observer is ``torch.fused_moving_avg_obs_fake_quant``.
    """
    share = 1 + 2.0**-12  # times itself, less 1, as above
    low, high, batch, scale = torch.tensor([[-1.0], [-1.0], [2.0**-12], [1.0]], dtype=torch.float32)
    on, zero_point = torch.tensor([1]), torch.zeros(1, dtype=torch.int32)
    torch.fused_moving_avg_obs_fake_quant(
        batch, on, on, low, high, scale, zero_point, share, 0, 255, 0
    )
    return bool(low.item() == 2.0**-11 + 2.0**-24)


@cache
def int_mm_is_exact() -> bool:
    """Say whether ``torch._int_mm`` sums in 32 bits here, by trying.

    Where ONEDNN_MAX_CPU_ISA keeps oneDNN from the processor's VNNI, pairs saturate.
    """
    a = torch.full((1, 64), 127, dtype=torch.int8)
    return bool(torch._int_mm(a, a.T).item() == 64 * 127 * 127)


def kernels_saturate() -> bool:
    """Say whether the int8 kernels of torch's present engine saturate here, by trying.

    The engine is ``torch.backends.quantized.engine``; the answer is that of this processor, or
    of the instructions that an environment variable such as FBGEMM_ENABLE_INSTRUCTIONS allows.
    It is about linear layers. No variable reaches FBGEMM's kernels for 3 × 3 convolutions with
    stride 1 or 2, padding 1, without dilation, and 2, 4, 8 or 16 channels in and as many out in
    each group (of 2 channels at least 8 groups, and of 4 at least 4, with AVX-512). They ask the
    processor itself.

    Raises:
        RuntimeError: the engine runs no layer on this machine, or torch has no engines any more.

    >>> kernels_saturate() in (True, False)
    True
    """
    try:
        result = _product_of_full_codes()
    except AttributeError as error:
        raise RuntimeError(
            f"torch {torch.__version__} has no quantized linear layer ({error}), so no kernel of "
            "its engines can be tried: install torch 2.13, which this course describes"
        ) from error
    except RuntimeError as error:
        raise RuntimeError(
            f"the engine {torch.backends.quantized.engine!r} runs no layer on this machine: call "
            "qlearn.machine.use_engine() first, which selects one that does"
        ) from error
    return result < 0.99 * 64 * 127


def _product_of_full_codes() -> float:
    """Return 64 times 1 · 127 as the present engine computes it, with the codes 255 and 127."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the deprecation of quantized tensors
        ones = torch.ones(1, 64, dtype=torch.float32)
        weight = torch.quantize_per_tensor(127 * ones, 1.0, 0, torch.qint8)
        packed = torch.ops.quantized.linear_prepack(weight, None)
        layer = torch.ops.quantized.linear_dynamic
        return float(layer(ones, packed, reduce_range=False).item())
