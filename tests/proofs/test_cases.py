"""A case of a proof is the same case on every machine."""

import hashlib
import json
import warnings
from typing import Any

import pytest
import torch

from proofs import draw_layers
from proofs.collection import all_proofs
from proofs.draw import Draw
from proofs.draw_layers import as_onednn_can, draw_conv_shapes, draw_layer, highest_code
from tests.probes import said

OLDER = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "FBGEMM_ENABLE_INSTRUCTIONS": "AVX2",
}
# What `make prove` alone installs
SLOW = ("bitsandbytes", "scikit-learn", "tensorflow", "transformers")


def checksum(numbers: range) -> str:
    """Return a digest of what the cases of these numbers draw, in every bit."""
    digest = hashlib.sha256()
    for number in numbers:
        draw = Draw(number)
        scale = draw.scale()
        shapes = draw_conv_shapes(draw, onednn=True)
        layer = draw_layer(draw, shapes.image, shapes.kernels, highest=255, symmetric=False)
        tensors = [draw.hard_tensor(scale), draw.normal(40), layer.x.values, layer.weight.values]
        tensors += [layer.output.scale, layer.weight.qparams.scale, torch.tensor(scale)]
        tensors += [] if layer.bias is None else [layer.bias]
        digest.update(repr((shapes, draw.power_of_ten(-44, 36))).encode())
        for tensor in tensors:
            digest.update(tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def places_after(cases: int) -> dict[str, str]:
    """Return by proof how far the generator has come after each of the first cases."""
    places = {}
    for name, proof in all_proofs().items():
        if proof.package in SLOW:
            continue
        digest = hashlib.sha256()
        for number in range(cases):
            draw = Draw(number)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the deprecations of the oracles
                proof.case(draw)
            digest.update(draw.generator.get_state().numpy().tobytes())
        places[name] = digest.hexdigest()[:16]
    return places


def what_is_drawn() -> list[Any]:
    """Return the checksum of the first cases, and how far the generator has come after three."""
    return [checksum(range(30)), places_after(3)]


# The same, in a process of its own
DRAWN = """
import json, torch
from tests.proofs.test_cases import what_is_drawn
print(json.dumps([torch.backends.cpu.get_cpu_capability(), what_is_drawn()]))
"""
CASES_0_TO_29 = "ed43debafd80e8ec"


def test_the_first_cases_have_these_bits():
    assert checksum(range(30)) == CASES_0_TO_29
    assert checksum(range(29)) != CASES_0_TO_29


@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="this processor is the oldest"
)
def test_an_older_processor_draws_the_same_cases(fork_with_torchao):
    capability, drawn = json.loads(said(fork_with_torchao(DRAWN, **OLDER)).splitlines()[-1])
    assert capability == "DEFAULT"
    assert drawn == [CASES_0_TO_29, places_after(3)]


def test_the_checksum_sees_another_normal_distribution(monkeypatch):
    monkeypatch.setattr(
        "proofs.draw.normal", lambda *shape, generator: torch.randn(*shape, generator=generator)
    )
    assert checksum(range(30)) != CASES_0_TO_29


@pytest.mark.parametrize("saturates", [False, True], ids=["exact", "saturating"])
def test_a_machine_that_saturates_gets_the_same_codes_halved(monkeypatch, saturates):
    monkeypatch.setattr(draw_layers, "_saturates", lambda engine: saturates)
    codes = set()
    for number in range(20):
        draw, full = Draw(number), Draw(number)
        highest = highest_code(draw, "fbgemm")
        full.chance(0.3)
        layer = draw_layer(draw, (5, 6), (4, 6), highest=highest, symmetric=False)
        whole = draw_layer(full, (5, 6), (4, 6), highest=255, symmetric=False)
        assert torch.equal(layer.x.values, whole.x.values // (255 // highest))
        assert torch.equal(layer.weight.values, whole.weight.values)
        codes.add(highest)
    assert codes == ({127} if saturates else {127, 255})


def test_where_sums_would_be_wrong_the_kernel_goes_to_every_column(monkeypatch):
    for amx in (False, True):
        monkeypatch.setattr(draw_layers, "shape_decides", lambda amx=amx: amx)
        changed = 0
        for number in range(300):
            shapes = draw_conv_shapes(Draw(number), onednn=True)
            ours = as_onednn_can(shapes)
            reach = ours.dilation[1] * (ours.kernels[3] - 1) + 1
            room = ours.image[3] + 2 * ours.padding[1] - reach
            assert not amx or ours.kernels[3] == 1 or ours.stride[1] == 1 or room >= ours.stride[1]
            changed += ours != shapes
        assert (changed > 0) is amx
