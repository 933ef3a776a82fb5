"""LLM.int8() as its paper has it: columns with outliers are multiplied in float, from floats."""

from __future__ import annotations

from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_number
from qlearn.checks.layer_inputs import check_rows, check_weight
from qlearn.language.rounded_product import Product, rounded_product


def decomposed_product(threshold: float, *, bits: int = 8) -> Product:
    """Return ``product(x, weight)`` of LLM.int8() as its paper has it: loud columns in float.

    A column with ``|x| ≥ threshold`` in any row is loud. The product is
    ``f(quiet + Σ_loud x · w)``: quiet is that of :func:`rounded_product` with the loud columns of
    both set to 0, and the sum is float32's, of the numbers themselves.

    :func:`qlearn.linear_llm_int8`, as bitsandbytes, has no more of the weight than its codes. Here
    the columns that meet outliers are the weight's own, in float32. The codes of the others are
    chosen without these columns, for each batch anew, which a program that stores codes cannot do.

    Args:
        threshold: above 0, in the unit of x; 6.0 in the paper, ``math.inf`` keeps all in codes.
        bits: of the codes of x and of the weight, 2 to 16.

    Raises:
        TypeError: threshold is no number, or bits no integer. From the product: a tensor is not
            float32.
        ValueError: a threshold of 0 or below, or NaN; bits outside 2 … 16. From the product:
            infinities or NaN, and shapes that do not fit.

    Source: Dettmers et al., LLM.int8(), arXiv 2208.07339, equation 8.

    >>> import torch
    >>> product = decomposed_product(6.0)
    >>> product(torch.tensor([[127.0, 0.5]]), torch.tensor([[0.001, 1.0]]))
    tensor([[0.6270]])
    """
    check_number(threshold, "threshold")
    if not threshold > 0:
        raise ValueError(
            f"threshold is {threshold}, but must be above 0: pass 6.0, or math.inf to keep all "
            "columns in codes"
        )
    quiet_product, threshold = rounded_product(bits), float(threshold)

    def product(
        x: Float32[Tensor, "*rows k"], weight: Float32[Tensor, "n k"]
    ) -> Float32[Tensor, "*rows n"]:
        check_weight(weight)
        check_rows(x, "x", weight)
        x, weight = x.detach(), weight.detach()
        loud = (x.abs() >= threshold).flatten(0, -2).any(0) if x.ndim > 1 else x.abs() >= threshold
        quiet = quiet_product(x.masked_fill(loud, 0.0), weight.masked_fill(loud, 0.0))
        together: Tensor = quiet + x[..., loud] @ weight[:, loud].T
        return together

    return product
