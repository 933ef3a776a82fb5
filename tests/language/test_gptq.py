"""GPTQ against the optimal-brain step that it computes: a fresh inverse for each column."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from qlearn import quantize_groups
from qlearn.course import normal
from qlearn.formats.groups import group_codes, group_qparams
from qlearn.language import by_activation, gptq


def drawn(n: int, k: int, rows: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return a weight, and inputs whose channels depend on each other."""
    generator = torch.Generator().manual_seed(seed)
    mixed = normal(k, k, generator=generator) / k + torch.eye(k) + 0.5
    return normal(n, k, generator=generator), normal(rows, k, generator=generator) @ mixed


def by_optimal_brain_surgeon(
    weight: Tensor, inputs: Tensor, bits: int, size: int, damp: float
) -> Tensor:
    """Return the codes as Hassibi and Stork would find them: invert what is left, each time."""
    hessian = inputs.double().T @ inputs.double()
    hessian += damp * hessian.diagonal().mean() * torch.eye(len(hessian))
    rest, codes = weight.double(), []
    for i in range(weight.shape[1]):
        if i % size == 0:
            group = rest[:, i : i + size].float()
            scale, zero = group_qparams(
                group.amin(1, keepdim=True), group.amax(1, keepdim=True), bits=bits, symmetric=True
            )
        inverse = torch.linalg.inv(hessian[i:, i:])
        code = group_codes(rest[:, i : i + 1].float(), scale, zero, bits=bits)
        change = (rest[:, i : i + 1] - code * scale) / inverse[0, 0]
        rest[:, i:] = rest[:, i:] - change * inverse[0]
        codes.append(code)
    return torch.cat(codes, 1)


@pytest.mark.parametrize(("bits", "group_size"), [(4, None), (4, 8), (3, 16), (2, 4), (8, None)])
def test_columns_are_corrected_as_by_a_fresh_inverse(bits: int, group_size: int | None) -> None:
    for seed in range(4):
        weight, inputs = drawn(24, 32, 100, seed)
        found = gptq(weight, inputs, bits=bits, group_size=group_size)
        naive = by_optimal_brain_surgeon(weight, inputs, bits, group_size or 32, 0.01)
        assert torch.equal(found.codes, naive)
        assert found.scales.shape == (24, 32 // (group_size or 32))


@pytest.mark.parametrize("group_size", [None, 8])
def test_independent_inputs_are_rounded_to_nearest(group_size: int | None) -> None:
    weight, _ = drawn(16, 32, 1, seed=5)
    found = gptq(weight, torch.eye(32), group_size=group_size)
    nearest = quantize_groups(weight, group_size=group_size or 32)
    assert torch.equal(found.codes, nearest.codes)
    assert torch.equal(found.scales, nearest.scales)


def test_outputs_get_better_and_weights_worse() -> None:
    weight, inputs = drawn(64, 64, 256, seed=1)
    found = gptq(weight, inputs, bits=3, group_size=16).dequantize()
    nearest = quantize_groups(weight, bits=3, group_size=16).dequantize()
    of_outputs = [((w - weight) @ inputs.T).square().mean() for w in (found, nearest)]
    of_weights = [(w - weight).square().mean() for w in (found, nearest)]
    assert of_outputs[0] < of_outputs[1] / 2
    assert of_weights[0] > of_weights[1]


def test_few_rows_and_dead_columns_are_no_obstacle() -> None:
    weight, inputs = drawn(8, 32, 5, seed=2)
    inputs[:, 3] = 0
    for given in (inputs, torch.zeros(4, 32)):
        found = gptq(weight, given)
        assert found.dequantize().isfinite().all()
    nearest = quantize_groups(weight, group_size=32)
    assert torch.equal(found.codes, nearest.codes)  # zeros everywhere: nothing to correct for
    assert torch.equal(gptq(weight, inputs).codes[:, 3], nearest.codes[:, 3])


def test_leading_dimensions_are_rows_and_nothing_is_changed() -> None:
    weight, inputs = drawn(8, 16, 24, seed=3)
    kept = weight.clone(), inputs.clone()
    batches = gptq(weight, inputs.reshape(2, 12, 16))
    assert torch.equal(batches.codes, gptq(weight, inputs).codes)
    assert torch.equal(weight, kept[0])
    assert torch.equal(inputs, kept[1])


def test_what_does_not_fit_is_said() -> None:
    weight, inputs = drawn(4, 16, 40, seed=4)
    gptq(weight, inputs, damp=0)
    with pytest.raises(
        ValueError, match=r"5 rows of inputs do not determine 16 columns.*damp=0\.01"
    ):
        gptq(weight, inputs[:5], damp=0)
    with pytest.raises(ValueError, match="group_size is 5 and does not divide 16"):
        gptq(weight, inputs, group_size=5)
    with pytest.raises(ValueError, match="inputs has 15 features and the weight takes 16"):
        gptq(weight, inputs[:, :15])
    with pytest.raises(ValueError, match=r"no rows in it"):
        gptq(weight, inputs[:0])
    with pytest.raises(ValueError, match=r"weight has shape \(16,\)"):
        gptq(weight[0], inputs)
    for name, arguments in {
        "inputs": (weight, torch.where(inputs == inputs[3, 2], torch.nan, inputs)),
        "weight": (torch.where(weight == weight[1, 2], torch.inf, weight), inputs),
    }.items():
        with pytest.raises(ValueError, match=f"{name} holds infinities or NaN"):
            gptq(*arguments)
    with pytest.raises(ValueError, match="damp is -1"):
        gptq(weight, inputs, damp=-1)
    with pytest.raises(TypeError, match="damp must be an int or a float"):
        gptq(weight, inputs, damp="0.01")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="weight has dtype torch.float64"):
        gptq(weight.double(), inputs)


def test_columns_in_the_order_of_loudness_are_those_of_gptq() -> None:
    weight, inputs = drawn(12, 32, 200, seed=5)
    inputs = inputs * torch.linspace(2, 1, 32)
    order = inputs.square().sum(0).argsort(descending=True)
    assert order.tolist() != list(range(32))
    found = by_activation(weight, inputs, bits=3)
    plain = gptq(weight[:, order], inputs[:, order], bits=3).dequantize()
    assert torch.equal(found[:, order], plain)


def test_equally_loud_columns_keep_their_order() -> None:
    weight, inputs = drawn(8, 16, 24, seed=6)
    loud = inputs.sign()  # each column's sum of squares is 24
    kind = {"bits": 3, "group_size": 4}
    assert torch.equal(by_activation(weight, loud, **kind), gptq(weight, loud, **kind).dequantize())


def test_an_order_by_loudness_refuses_what_gptq_refuses() -> None:
    weight, inputs = drawn(4, 16, 40, seed=7)
    with pytest.raises(ValueError, match="inputs has 15 features and the weight takes 16"):
        by_activation(weight, inputs[:, :15])
    with pytest.raises(ValueError, match="inputs holds infinities or NaN"):
        by_activation(weight, inputs * torch.nan)
    with pytest.raises(ValueError, match="group_size is 5 and does not divide 16"):
        by_activation(weight, inputs, group_size=5)
    with pytest.raises(ValueError, match="damp is -1"):
        by_activation(weight, inputs, damp=-1)
    with pytest.raises(TypeError, match="weight has dtype torch.float64"):
        by_activation(weight.double(), inputs)


def test_a_damp_may_be_an_integer_of_many_bits() -> None:
    weight, inputs = drawn(4, 16, 40, seed=8)
    assert torch.equal(
        gptq(weight, inputs, damp=2**70).codes, gptq(weight, inputs, damp=2.0**70).codes
    )
