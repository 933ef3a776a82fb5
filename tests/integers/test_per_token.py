"""torchao's dynamic linear layer in plain integers, against what torchao makes of nn.Linear."""

import pytest
import torch
from torch import nn

from proofs.draw import Draw
from proofs.per_token import draw_rows, int_mm_saturates
from proofs.torchao_quietly import torchao
from qlearn import QParams, QTensor, choose_qparams, quantize, saturating_matmul
from qlearn.integers.per_token import linear_per_token, token_qparams


def pair(number: int, *, reduce_range: bool):
    """A float layer, its input, and what torchao and we make of them."""
    draw = Draw(number)
    m, k, n = (draw.integer(2, 70) for _ in range(3))
    x = draw_rows(draw, m, k)
    layer = nn.Linear(k, n, bias=draw.chance(0.6))
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(draw.normal(*parameter.shape))
    config = torchao.Int8DynamicActivationInt8WeightConfig(
        reduce_range=reduce_range, set_inductor_config=False
    )
    model = nn.Sequential(layer)
    weight = layer.weight.detach().clone()
    torchao.quantize_(model, config)
    low, high = weight.amin(1), weight.amax(1)
    qparams = choose_qparams(low, high, symmetric=True, reduce_range=reduce_range, axis=0)
    codes = QTensor(quantize(weight, qparams), qparams)
    assert torch.equal(codes.values, model[0].weight.qdata)
    assert torch.equal(qparams.scale, model[0].weight.scale.flatten())
    bias = None if layer.bias is None else layer.bias.detach()
    with torch.no_grad():
        return model(x), (x, codes, bias)


@pytest.mark.parametrize("reduce_range", [False, True], ids=["full", "reduced"])
def test_every_output_is_torchaos(reduce_range):
    for number in range(10):
        theirs, layer = pair(number, reduce_range=reduce_range)
        ours = linear_per_token(
            *layer, reduce_range=reduce_range, saturate=int_mm_saturates() and not reduce_range
        )
        assert torch.equal(ours, theirs), number


def test_reduced_codes_cannot_saturate():
    draw = Draw(0)
    x = draw.normal(50, 64)
    weight = draw.codes((30, 64), torch.int8, -64, 63)
    codes = QTensor(weight, QParams(0.01, 0, -128, 127, torch.int8))
    exact, clamped = (
        linear_per_token(x, codes, reduce_range=True, saturate=saturate)
        for saturate in (False, True)
    )
    assert torch.equal(exact, clamped)
    wide = QTensor(2 * weight.clamp(-63, 63), codes.qparams)
    assert not torch.equal(linear_per_token(x, wide, saturate=True), linear_per_token(x, wide))


PRODUCTS = """
import torch
draw = torch.Generator().manual_seed(0)
a = torch.randint(-127, 128, (40, 64), generator=draw).to(torch.int8)
b = torch.randint(-127, 128, (30, 64), generator=draw).to(torch.int8)
print(torch._int_mm(a, b.t()).tolist())
"""


@pytest.mark.skipif(not torch.cpu._is_vnni_supported(), reason="oneDNN is called with VNNI only")
def test_where_onednn_may_not_use_vnni_the_products_saturate_as_the_model_says(probe):
    found = probe(PRODUCTS, ONEDNN_MAX_CPU_ISA="AVX2")
    names: dict = {}
    exec(PRODUCTS.rsplit("print", 1)[0], names)
    a, b = names["a"], names["b"]
    unsigned = (a.int() + 128).to(torch.uint8)
    model = saturating_matmul(unsigned, b.t().contiguous()) - 128 * b.int().sum(1)
    assert model.tolist() == eval(found)
    assert not torch.equal(model, a.int() @ b.int().t())


def test_an_asymmetric_row_has_a_zero_point():
    qparams = token_qparams(torch.tensor([[0.0, 2.55]]), mapping="asymmetric")
    assert (qparams.zero_point.item(), qparams.quant_min) == (-128, -128)


CODES = QTensor(torch.ones(2, 3, dtype=torch.int8), QParams(0.1, 0, -128, 127, torch.int8))
X = torch.ones(1, 3)
AFFINE = QTensor(torch.ones(2, 3, dtype=torch.int8), QParams(0.1, 1, -128, 127, torch.int8))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((torch.ones(3), CODES), ValueError, r"shape \(3,\).*pass a matrix"),
        ((torch.ones(0, 3), CODES), ValueError, r"shape \(0, 3\)"),
        ((torch.ones(1, 4), CODES), ValueError, "4 features and the weight 3"),
        ((torch.ones(1, 3).double(), CODES), TypeError, "float64"),
        ((torch.ones(1, 3), torch.ones(2, 3)), TypeError, "pass a QTensor"),
        ((torch.ones(1, 3), AFFINE), ValueError, "quantize symmetrically"),
        (
            (torch.full((1, 3), torch.nan), CODES),
            ValueError,
            r"x holds infinities or NaN, as at index \(0, 0\), and a scale",
        ),
        ((X, CODES, torch.tensor([1.0, torch.nan])), ValueError, r"bias holds NaN, .* \(1,\)"),
    ],
)
def test_mistakes_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        linear_per_token(*arguments)


def test_no_gradient_goes_through_it():
    bias = torch.ones(2, requires_grad=True)
    assert not linear_per_token(X.clone().requires_grad_(), CODES, bias).requires_grad


def test_the_longest_sum_is_exact_and_a_longer_one_refused():
    def layer(k, **how):
        weight = QTensor(
            torch.full((1, k), -128, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8)
        )
        return linear_per_token(torch.full((1, k), -1.0), weight, **how)

    step = token_qparams(torch.tensor([[-1.0]])).scale
    sums = torch.tensor([131_071 * 127 * 128], dtype=torch.float32)
    assert torch.equal(layer(131_071)[0], sums * step)
    with pytest.raises(ValueError, match="k is 131072, and a sum of more than 131071 products"):
        layer(131_072)
    with pytest.raises(ValueError, match="k is 65794, and a sum of more than 65793 products"):
        layer(65_794, saturate=True)
