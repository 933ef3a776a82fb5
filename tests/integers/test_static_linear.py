"""The static linear layer: edges and refusals; the proofs compare random layers with torch."""

import pytest
import torch

from qlearn import QParams, QTensor, dequantize, linear_static

ENGINES = ["fbgemm", "x86", "onednn", "qnnpack"]
OUTPUT = QParams(0.5, 3, 0, 255, torch.uint8)
WEIGHT = QTensor(
    torch.tensor([[1, -2, 3], [4, 5, -6]], dtype=torch.int8),
    QParams([0.5, 0.25], [0, 0], -128, 127, torch.int8, axis=0),
)


def x_of(values):
    codes = torch.as_tensor(values).to(torch.uint8)
    return QTensor(codes, QParams(0.5, 4, 0, 255, torch.uint8))


@pytest.mark.parametrize("engine", ENGINES)
def test_equals_the_real_product_where_nothing_need_be_rounded(engine):
    x = x_of([[4, 6, 8], [0, 255, 4]])
    bias = torch.tensor([1.0, -2.5])
    real = x.dequantize() @ WEIGHT.dequantize().T + bias
    ours = linear_static(x, WEIGHT, bias, OUTPUT, engine=engine)
    assert torch.equal(ours.dequantize(), real.clamp(-1.5, 126))
    rectified = linear_static(x, WEIGHT, bias, OUTPUT, relu=True, engine=engine)
    assert torch.equal(rectified.dequantize(), real.clamp(0, 126))


@pytest.mark.parametrize("engine", ENGINES)
def test_batches_of_any_shape(engine):
    for shape in [(3,), (0, 3), (2, 0, 3), (2, 5, 3)]:
        ours = linear_static(x_of(torch.full(shape, 9)), WEIGHT, None, OUTPUT, engine=engine)
        assert ours.values.shape == (*shape[:-1], 2)
        assert (ours.values == torch.tensor([8, 7], dtype=torch.uint8)).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_rows_get_equal_codes_where_one_output_has_a_bias(engine):
    """Here the bias, in steps of the sums, is rounded once or twice, and that decides the code."""
    step = torch.tensor(0.05962566286325455) * 0.25
    x = QTensor(
        torch.tensor([[127, 127, 110]] * 8, dtype=torch.uint8),
        QParams(0.05962566286325455, 0, 0, 255, torch.uint8),
    )
    weight = QTensor(
        torch.tensor([[127, 127, 57]], dtype=torch.int8), QParams(0.25, 0, -128, 127, torch.int8)
    )
    output = QParams(step * 256, 0, 0, 255, torch.uint8)
    bias = torch.tensor([2.9114095013937913e-05])
    ours = linear_static(x, weight, bias, output, engine=engine).values
    alone = QTensor(x.values[:1], x.qparams)
    assert (ours == linear_static(alone, weight, bias, output, engine=engine).values).all()


def test_nothing_to_sum_leaves_the_bias_and_no_outputs_none():
    nothing = QTensor(torch.zeros(2, 0, dtype=torch.int8), WEIGHT.qparams)
    ours = linear_static(x_of(torch.zeros(1, 0)), nothing, torch.tensor([1.0, 2.0]), OUTPUT)
    assert dequantize(ours.values, OUTPUT).tolist() == [[1.0, 2.0]]
    none = QTensor(torch.zeros(0, 3, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8))
    assert linear_static(x_of(torch.zeros(5, 3)), none, None, OUTPUT).values.shape == (5, 0)


def test_the_sum_is_exact_where_kernels_may_saturate():
    x = QTensor(torch.full((1, 1000), 255, dtype=torch.uint8), QParams(1.0, 0, 0, 255, torch.uint8))
    weight = QTensor(
        torch.full((1, 1000), 127, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8)
    )
    output = QParams(255 * 127 * 10.0, 0, 0, 255, torch.uint8)
    assert linear_static(x, weight, None, output).values.item() == 100


def test_the_result_has_the_range_that_kernels_clamp_to():
    reduced = QParams(0.5, 3, 0, 127, torch.uint8)
    ours = linear_static(x_of([[255, 4, 4]]), WEIGHT, None, reduced)
    assert ours.values.tolist() == [[129, 254]]
    assert ours.qparams == OUTPUT


def test_the_inputs_stay_as_they_are():
    x, bias = x_of([[1, 2, 3]]), torch.ones(2)
    before = x.values.clone(), WEIGHT.values.clone(), bias.clone()
    linear_static(x, WEIGHT, bias, OUTPUT, relu=True)
    assert all(map(torch.equal, (x.values, WEIGHT.values, bias), before))


@pytest.mark.parametrize(
    ("x", "output", "error", "message"),
    [
        (x_of([[1, 2]]), OUTPUT, ValueError, r"x has shape \(1, 2\) and weight \(2, 3\)"),
        (x_of([[1, 2, 3]]), QParams(1.0, 0, -8, 7, torch.int8), TypeError, "output is torch.int8"),
        (torch.zeros(1, 3), OUTPUT, TypeError, "x is Tensor"),
    ],
)
def test_bad_input_is_named(x, output, error, message):
    with pytest.raises(error, match=message):
        linear_static(x, WEIGHT, None, output)
