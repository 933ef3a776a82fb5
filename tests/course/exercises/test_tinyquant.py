"""The steps of tinyquant: the page's solutions pass, its stubs and typical mistakes do not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from qlearn import (
    MinMaxObserver,
    QParams,
    QTensor,
    choose_qparams,
    conv2d_static,
    linear_static,
    quantize_groups,
    requantize,
)
from qlearn.course import check
from qlearn.course.exercises import tinyquant
from qlearn.course.exercises.attempt import fresh
from qlearn.course.exercises.exercise import Exercise, WrongError
from qlearn.course.exercises.judge import judge
from qlearn.course.exercises.tinyquant import (
    beside_torch,
    choose,
    fake_quantize,
    groups,
    layer,
    network,
    observe,
)
from qlearn.course.exercises.tinyquant import quantize as tinyquant_quantize
from qlearn.course.exercises.tinyquant.requantize import right as right_requantize
from qlearn.course.exercises.tinyquant.ruler import Ruler
from qlearn.course.exercises.verdict import Verdict
from qlearn.machine import working_engines
from tests.course.exercises.build_page import STEPS, cells, changed, definitions, file_of

BY_NAME = {exercise.name: exercise for exercise in tinyquant.STEPS}


def written(folder: Path, source: str) -> Path:
    """Write a file as the reader does."""
    path = folder / "tinyquant.py"
    path.write_text(source, "utf-8")
    return path


def test_the_page_has_a_stub_and_a_solution_for_each_step() -> None:
    stubs, solutions = definitions()
    assert list(stubs) == STEPS == list(BY_NAME)
    assert set(STEPS) < set(solutions)
    assert len(file_of().splitlines()) < 160


def test_the_solutions_are_right_together(tmp_path: Path) -> None:
    verdict = check("tinyquant", written(tmp_path, file_of()))
    assert verdict
    assert verdict.sentence.startswith(f"All of tinyquant: {', '.join(STEPS)}.")
    assert "read 348 of 360" in verdict.note and "fbgemm" in verdict.note


@pytest.mark.parametrize("name", STEPS)
def test_an_empty_stub_is_told_what_to_return(name: str, tmp_path: Path) -> None:
    stub = written(tmp_path, file_of(**{name: definitions()[0][name]}))
    verdict = check(name, stub)
    assert not verdict
    assert verdict.sentence.startswith(f"`{name}` is still empty. Let `{BY_NAME[name].call}` ")


def test_a_solution_runs_where_no_other_was_opened() -> None:
    shown, folds = cells()
    names: dict[str, Any] = {"__name__": "reader"}
    exec("\n".join([*shown, file_of()]), names)
    names["check"] = lambda *_: Verdict(True, "")
    assert len(folds) == len(STEPS)
    for fold in folds:
        exec("\n".join(fold), dict(names))


WRONG = [
    ("quantize", "torch.round(x * (1 / ruler.scale))", "(x / ruler.scale + 0.5).floor()",
     "PyTorch rounds halves to even, you round them up. With numbers halfway .* x = 0.25"),
    ("quantize", "torch.round(x * (1 / ruler.scale))",
     "x.sign() * (x.abs() / ruler.scale + 0.5).floor()", "you round them away from zero"),
    ("quantize", " + ruler.zero_point", "", "You forgot the zero point: add it"),
    ("quantize", "torch.round(", "torch.trunc(", "You cut the fraction off"),
    ("quantize", ".clamp(ruler.quant_min, ruler.quant_max)", ".to(torch.int32)",
     "wrap around when .*: clip them before you convert them"),
    ("quantize", "x * (1 / ruler.scale)", "x / ruler.scale", "PyTorch multiplies by 1 / scale"),
    ("quantize", "(1 / ruler.scale))", "(1 / ruler.scale)).clamp(-128, 127)",
     "You clip before you add the zero point, and lose codes that fit"),
    ("quantize", ".to(ruler.dtype)", "", "Your codes should be torch.int8, not torch.float32."),
    ("dequantize", " - ruler.zero_point", "", "You forgot the zero point"),
    ("dequantize", "q.to(torch.float32)", "q", "You subtract in eight bits"),
    ("dequantize", "- ruler", "+ ruler", "You add the zero point: subtract it"),
    ("choose", "steps = quant_max - quant_min", "steps = quant_max - quant_min + 1",
     "between 256 marks lie 255 steps"),
    ("choose", "low, high = low.clamp(max=0), high.clamp(min=0)", "",
     "Your ruler lacks 0: stretch the range first"),
    ("choose", "size / (steps / 2)", "size / quant_max",
     "You divide by 127. .* 127.5"),
    ("choose", "size / (steps / 2)", "size / 127.5", "whatever the codes are"),
    ("choose", "quant_min - torch.round", "-torch.round", "You forgot quant_min"),
    ("choose", "torch.round(", "torch.trunc(", "You cut the fraction of the zero point off"),
    ("choose", "zero_point = zero_point.to(torch.int32)", "",
     "Your zero point should hold integers, not torch.float32"),
    ("choose", "(steps / 2)).clamp(min=eps)", "(steps / 2))",
     "The scale of your symmetric ruler falls below"),
    ("choose", "torch.maximum(-low, high)", "high", "You look at high alone"),
    ("Observer", "if self.low is not None:", "if False:", "You remember the last batch alone"),
    ("Observer", "if self.low is not None:", "if self.low is not None:\n            return x",
     "You remember the first batch alone"),
    ("Observer", "        return x\n", "", "A call of your observer returns nothing"),
    ("Observer", "return x", "return x * 2", "A call of your observer returns another x"),
    ("Observer", "*self.options)", "*self.options[:2])", "You ignore `symmetric`"),
    ("integer_matmul", "q_x.to(torch.int32)", "q_x", "wraps? around|stops in line"),
    ("integer_matmul", " - z_x", "", "You forgot the zero point"),
    ("integer_matmul", "torch.int32", "torch.float32", "should be torch.int32, not torch.float32"),
    ("integer_matmul", "(q_x.to(torch.int32) - z_x) @ q_w.to(torch.int32).T",
     "((q_x.float() - z_x) @ q_w.float().T).to(torch.int32)", r"holds integers up to 2\^24 only"),
    ("integer_matmul", "(q_x.to(torch.int32) - z_x) @ q_w.to(torch.int32).T",
     "((q_x.to(torch.int32) - z_x).to(torch.int8) @ q_w.T).to(torch.int32)",
     "Your sums overflow eight bits"),
    ("integer_matmul", "(q_x.to(torch.int32) - z_x)", "(q_x - z_x.to(torch.uint8)).to(torch.int32)",
     "You subtract in uint8, and negative differences wrap around"),
    ("integer_matmul", ".T", "", "With the zero point 0, it stops in line .* Python says: Runtime"),
    ("requantize", " + output.zero_point", "", "You forgot the zero point of the output"),
    ("requantize", "bias / step", "bias", "You add the bias to the sum as it is"),
    ("requantize", "torch.round(steps)", "torch.trunc(steps)", "You cut the fraction off"),
    ("requantize", "torch.round(steps)", "torch.round(steps).clamp(0, 255)",
     "Without a ReLU your codes never fall below the zero point"),
    ("requantize", "int(output.zero_point) if relu", "0 if relu", "The code 0 means another"),
    ("requantize", "(total + bias / step) * (step / output.scale)",
     "(total * step + bias) / output.scale", "multiply once, by step / output.scale"),
    ("requantize", "(step / output.scale)", "step / output.scale", "compute step / output.scale f"),
    ("requantize", "bias / step", "torch.round(bias / step)",
     "Another of PyTorch's libraries does so"),
    ("Layer", "x_ruler.scale * ", "", "You forgot the scale of the input"),
    ("Layer", ".flatten()", "", "Your step has the shape .n, 1., and so each row of sums"),
    ("Layer", ", symmetric=True", "", "Your weights have zero points"),
    ("Layer", "torch.aminmax(weight, dim=1, keepdim=True)",
     "(e.expand(len(weight), 1) for e in torch.aminmax(weight))", "You take one scale for all"),
    ("Layer", "zero_point = self.x_ruler.zero_point", "zero_point = 0",
     "You forgot the zero point of the input"),
    ("Layer", "bias, y_ruler, relu", "bias, y_ruler, False", "You ignore `relu`"),
    ("convolve", "int(layer.x_ruler.zero_point)", "0", "Your border has the code 0"),
    ("convolve", "0, 2, 3, 1, 4, 5", "0, 2, 3, 4, 5, 1", "the channels come after the places"),
    ("convolve", "0, 2, 3, 1, 4, 5", "0, 2, 3, 1, 5, 4", "Your windows are transposed"),
    ("convolve", "codes.reshape(n, height, width, -1).permute(0, 3, 1, 2)",
     "codes.reshape(n, -1, height, width)", "You reshape the output to its shape"),
    ("convolve", ".permute(0, 3, 1, 2)", "", "have the shape .1, 1, 3, 3., not .1, 3, 3, 1."),
    ("fake_quantize", " * inside", "", "Your gradient passes where numbers were clipped"),
    ("fake_quantize", " + (x - fixed) * inside", "", "Your numbers have no gradient"),
    ("fake_quantize", "steps + ruler.zero_point", "steps", "add the zero point first"),
    ("fake_quantize", "(x - fixed)", "(x - fixed) * ruler.scale", "is multiplied by the scale"),
    ("fake_quantize", ">= ruler", "> ruler", "With numbers next to the ends, first at x = -4.4"),
    ("quantize_groups", "codes, ruler.scale.squeeze(2)", "codes, ruler", "Return the scales, not"),
    ("quantize_groups", "return codes, ruler.scale.squeeze(2)", "return codes", "Return a pair"),
    ("quantize_groups", "-last - 1, last", "-last, last", "^Your ruler begins at -7, or you"),
    ("quantize_groups", "-last - 1, last", "-last - 1, last + 1", "Your codes leave the range"),
    ("quantize_groups", "w.reshape(len(w), -1, group_size)",
     "w.reshape(len(w), group_size, -1)", r"scales should have the shape \(1, 1\), not \(1, 4\)"),
    ("quantize_groups", "dim=2, keepdim=True", "dim=1, keepdim=True", "quantize_groups|scales"),
    ("network", "fours.amax(dim=(3, 5))", "fours.float().mean((3, 5)).round().to(torch.uint8)",
     "You average the four codes"),
    ("network", "fours.amax", "fours.amin", "You take the smallest of four codes"),
    ("network", '"pool"].flatten(1)', '"pool"].permute(0, 2, 3, 1).flatten(1)',
     "You flatten the channels last"),
    ("network", "images, rulers", "images[:5], rulers", "codes of input should have the shape"),
    ("network", 'codes["fc"] = ', "unused = ", "Your dictionary lacks fc."),
]  # fmt: skip

# Found by a reader who worked through the page: what was wrong passed, or was named wrongly.
WRONG += [
    ("dequantize", "ruler.scale * (q.to(torch.float32) - ruler.zero_point)",
     "ruler.scale * q - ruler.scale * ruler.zero_point", "apart, which rounds twice"),
    ("choose", "(steps / 2)", "(steps // 2)", "You divide by 127. PyTorch.* with / and not //"),
    ("choose", "(high - low) / steps).clamp(min=eps)", "(high - low) / steps) + eps",
     "You add eps to each scale"),
    ("choose", "low / scale", "low * (1 / scale)", "You multiply low by 1 / scale, which is round"),
    ("choose", "quant_min - torch.round(low / scale)", "torch.round(quant_min - low / scale)",
     "round low / scale by itself"),
    ("choose", "(high - low) / steps", "(high - low) * (1 / torch.tensor(float(steps)))",
     "You multiply by 1 / steps"),
    ("choose", "torch.maximum(-low, high)", "torch.stack([-low, high]).max(0)",
     "torch.return_types.max.* Several tensors at once come from aminmax"),
    ("Observer", "self.low = self.high = None", "self.low = self.high = self.ruler = None",
     "^`ruler` is not a method of your observer: it is None. Does an attribute"),
    ("Observer", "    def ruler", "    @property\n    def ruler",
     "^`ruler` is not a method of your observer: it is of the type Ruler.*@property"),
    ("Observer", "return choose(self.low, self.high, *self.options)",
     "low, high, self.low, self.high = self.low, self.high, None, None\n"
     "        return choose(low, high, *self.options)", "^A second call of `ruler..` does not"),
    ("Observer", "def ruler", "def rulers", r"Your observer has no method `ruler\(\)`"),
    ("Observer", "__call__", "call", "Your observer cannot be called with a batch"),
    ("integer_matmul", ".to(torch.int32).T", ".T",
     "int != signed char. torch calls uint8 .* multiplies matrices of one type alone"),
    ("requantize", "(step / output.scale)", "(step * (1 / output.scale))",
     "You multiply by 1 / output.scale. Here FBGEMM divides.*25,982.*152, not 151"),
    ("requantize", "(total + bias / step) * (step / output.scale)",
     "(total.double() + bias.double() / step.double()) * (step.double() / output.scale.double())",
     "^You compute in float64, the scales too"),
    ("requantize", "(total + bias / step)", "(total.double() + bias / step)",
     "^You compute in float64. FBGEMM computes in float32"),
    ("requantize", "int(output.zero_point) if relu else output.quant_min",
     "int(output.zero_point)", "Without a ReLU your codes never fall below the zero point"),
    ("requantize", "bias / step", "bias * step", "You multiply the bias by the step: divide it"),
    ("requantize", " + bias / step", "", "You forgot the bias"),
    ("requantize", "int(output.zero_point) if relu else output.quant_min", "output.quant_min",
     "With relu=True let no code be smaller"),
    ("Layer", "self.weight = quantize(weight, w_ruler)",
     "self.weight = quantize(weight, w_ruler)\n        "
     "bias = torch.round(bias / (x_ruler.scale * w_ruler.scale.flatten())) * "
     "x_ruler.scale * w_ruler.scale.flatten()", "You round the bias to whole steps of the sum"),
    ("Layer", "self.x_ruler", "self.ruler_of_x", "does not keep x_ruler as an attribute"),
    ("Layer", "__call__", "call", "Your layer cannot be called with codes"),
    ("convolve", "padded.unfold(2, 3, 1).unfold(3, 3, 1)",
     "torch.nn.functional.unfold(padded, 3)",
     "'im2col_out_cpu|Byte.*torch.nn.functional.unfold does not take uint8"),
    ("network", "relu=True", "relu=False", "Your convolutions have no ReLU"),
    ("network", "observed_rulers(outputs)", 'observed_rulers(outputs | {"input": images})',
     "You observe the images that are to be read"),
    ("quantize", "torch.round(x * (1 / ruler.scale))",
     "torch.round(x * (1 / ruler.scale)).to(torch.int32)",
     r"You convert to integers before you clip: .*int32, first at x = 1e.10"),
    ("quantize", "codes = codes.clamp(ruler.quant_min, ruler.quant_max)",
     "codes = codes.to(ruler.dtype).clamp(ruler.quant_min, ruler.quant_max)",
     "clip them before you convert them"),
    ("quantize", "x * (1 / ruler.scale)", "x.double() / ruler.scale.double()",
     "^You compute in float64"),
    ("quantize", "x * (1 / ruler.scale)", "x.double() * (1 / ruler.scale).double()",
     "^You multiply in float64"),
    ("dequantize", "q.to(torch.float32)", "q.to(torch.int8).float()", "int8, which ends at 127"),
    ("dequantize", "ruler.scale * (q.to(torch.float32) - ruler.zero_point)",
     "(q.to(torch.float32) - ruler.zero_point) / (1 / ruler.scale)", "You divide by 1 / scale"),
    ("choose", "((high - low) / steps).clamp(min=eps)",
     "(high - low) / steps\n        scale = torch.where(scale == 0, eps, scale)",
     "You raise only a scale of 0. .* 0.000001, your scale should be 1.19209e-07"),
    ("choose", "(size / (steps / 2)).clamp(min=eps)",
     "size / (steps / 2)\n        scale = torch.where(scale == 0, eps, scale)",
     "With a symmetric ruler for 0 to 0.000001, your scale should be 1.19209e-07"),
    ("Observer", "low, high = x.min(), x.max()", "low, high = x.amin(0), x.amax(0)",
     r"^Your ruler's scale has the shape \(3,\)"),
    ("Observer", "low, high = x.min(), x.max()",
     "low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)",
     r"^Your ruler's scale has the shape \(1,\)"),
    ("integer_matmul", "q_w.to(torch.int32)", "(q_w.to(torch.int32) - z_x)",
     "^You subtract the zero point from the weights as well"),
    ("integer_matmul", "(q_x.to(torch.int32) - z_x)", "(q_x.to(torch.int32) - z_x).clamp(min=0)",
     "^You lose negative differences"),
    ("integer_matmul", "(q_x.to(torch.int32) - z_x) @ q_w.to(torch.int32).T",
     "q_x.to(torch.int32) @ (q_w.to(torch.int32) - z_x).T",
     "^You subtract the zero point from the weights: it belongs to q_x"),
    ("integer_matmul", "(q_x.to(torch.int32) - z_x) @ q_w.to(torch.int32).T",
     "q_x.to(torch.int32) @ q_w.to(torch.int32).T - z_x", "^You subtract the zero point from each"),
    ("Layer", "step = x_ruler.scale * w_ruler.scale.flatten()",
     "step = x_ruler.scale.expand(len(weight))", "^Your step lacks the scale of the weight"),
    ("Layer", "bias, y_ruler, relu", "bias, x_ruler, relu", "^Your output is on the ruler of the"),
    ("quantize_groups", "w.reshape(len(w)", "w.T.reshape(len(w)", "^Your groups lie .* transpose"),
    ("quantize_groups", "(bits - 1)", "3", "^Your codes have four bits always"),
    ("quantize_groups", "(bits - 1)", "bits - 1", r"^Your codes go too far: .* needs brackets"),
    ("quantize_groups", "(bits - 1)", "bits", "^Your codes have one bit too many"),
    ("requantize", "torch.round(steps) + output.zero_point",
     "torch.round(steps + output.zero_point)", "so halves go to even codes. Round first.*at the s"),
    ("requantize", "torch.round(steps)", "(steps + 0.5).floor()", "even, you round them up"),
    ("requantize", "codes.clamp(lowest, output.quant_max)",
     "codes.clamp(max(lowest, 0), 255)", "^You clip to 0 … 255: clip to quant_min"),
    ("requantize", ".to(output.dtype)", ".to(torch.uint8)", "be torch.int8, not torch.uint8"),
    ("requantize", "(total + bias / step) * (step / output.scale)",
     "total * (step / output.scale) + bias / output.scale", "^You add the bias in steps of the o"),
    ("requantize", "(total + bias / step)", "((total.relu() if relu else total) + bias / step)",
     "^Your ReLU acts before the bias"),
    ("requantize", "(step / output.scale)", "(output.scale / step)", "^You multiply by output.sc"),
    ("requantize", "(total + bias / step) * (step / output.scale)",
     "(total + (bias / step)[:, None]) * (step / output.scale)[:, None]",
     r"^Your step and your bias have the shape \(n, 1\)"),
    ("requantize", " * (step / output.scale)", " / output.scale", "^With a step of 0.75 and"),
    ("requantize", " * (step / output.scale)", " / (output.scale / step)",
     "^You divide by output.scale / step, which is rounded otherwise"),
    ("Layer", "bias, y_ruler, relu", "bias, y_ruler, True", "^Your layer has a ReLU without relu"),
    ("Layer", "step = x_ruler.scale", "step = y_ruler.scale", "^Your step takes the scale of the"),
    ("Layer", "low, high, -128, 127", "low, high, -127, 127", "^Your weight's ruler begins at -12"),
    ("Layer", "integer_matmul(q, ", "integer_matmul(quantize(q, self.x_ruler), ",
     "^The input is codes already"),
    ("convolve", "windows.permute(0, 2, 3, 1, 4, 5)", "windows",
     "^You reshape the windows before you permute them"),
    ("convolve", "layer.x_ruler", "layer.y_ruler", "^Your border is the zero point of the output"),
    ("fake_quantize", "dequantize(quantize(fixed, ruler), ruler)",
     "ruler.scale * ((fixed / ruler.scale).round() + ruler.zero_point).clamp("
     "ruler.quant_min, ruler.quant_max).sub(ruler.zero_point)", "^You divide by the scale: mult"),
    ("network", '*layers["fc"], rulers["conv2"]', '*layers["fc"], rulers["input"]',
     "^Your fc is built on the ruler of input"),
    ("network", '*layers["fc"], rulers["conv2"]',
     '*layers["fc"], observed_rulers(outputs | {"conv2": outputs["pool"]})["conv2"]',
     "^Your fc reads codes on a ruler that was observed on pool"),
    ("network", "pair = rulers[before]", 'pair = rulers["input"]', "^Your conv2 is built on the r"),
    ("network", 'rulers["fc"])', 'rulers["fc"], True)', "^Your fc has a ReLU"),
    ("requantize", "bias / step", "(bias / step).to(torch.int32)",
     "^You cut the fraction of the bias off: .*2.4 and 2.9 steps"),
    ("requantize", "    steps = (total + bias / step) * (step / output.scale)\n"
     "    codes = torch.round(steps) + output.zero_point",
     "    ruler = Ruler(output.scale / step, *output[1:])\n"
     "    codes = quantize(total + bias / step, ruler)",
     "^You multiply by 1 / .output.scale / step., as quantize does .*18,676.*111, not 112"),
    ("Observer", "if self.low is not None:", "if self.low:",
     "^Your observer begins anew when low is 0, .* and begins at 0, your scale"),
    ("Observer", "            low = torch.minimum(low, self.low)\n"
     "            high = torch.maximum(high, self.high)",
     "            a, b = self.low, self.high\n"
     "            low, high = (low, b) if low < a else (a, high) if high > b else (a, b)",
     "^A batch can move both ends"),
    ("choose", "((high - low) / steps).clamp(min=eps)", "(high - low).clamp(min=eps) / steps",
     r"^Your scale falls below 2\^-23, which is torch.finfo.torch.float32..eps: let the scale it"),
    ("choose", "(size / (steps / 2)).clamp(min=eps)", "size.clamp(min=eps) / (steps / 2)",
     r"^The scale of your symmetric ruler falls below 2\^-23: let it"),
    ("choose", "((high - low) / steps).clamp(min=eps)\n"
     "        zero_point = quant_min - torch.round(low / scale)",
     "(high - low) / steps\n"
     "        zero_point = quant_min - torch.round(torch.nan_to_num(low / scale))\n"
     "        scale = scale.clamp(min=eps)",
     "a range from -0.000001 to 0, your zero point should be 8, not 255"),
    ("choose", "size / (steps / 2)", "size / steps / 2", "^You divide by all steps and by 2 again"),
    ("convolve", "codes.reshape(n, height, width, -1)",
     "codes.reshape(n, height, width, len(layer.q_w))",
     "no attribute 'q_w'. `convolve` is given a layer that the check has built: read its x_ruler"),
    ("quantize_groups", "quantize(groups, ruler)",
     "torch.round(groups / ruler.scale).clamp(-last - 1, last).to(torch.int8)",
     "^You divide by the scale. .* begins with -3.29, .* should be -7, not -8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "message"), WRONG)
def test_a_typical_mistake_gets_its_sentence(
    name: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    verdict = check(name, written(tmp_path, file_of(**{name: changed(name, old, new)})))
    assert not verdict
    assert re.search(message, verdict.sentence), verdict.sentence


def test_a_layer_may_keep_a_copy_of_its_ruler(tmp_path: Path) -> None:
    copy = "Ruler(x_ruler.scale.clone(), *x_ruler[1:])"
    for kept, right in ((copy, True), (copy.replace("clone()", "mul(2)"), False)):
        layer = changed("Layer", "self.x_ruler = x_ruler", f"self.x_ruler = {kept}")
        assert bool(check("Layer", written(tmp_path, file_of(Layer=layer)))) == right


IN_FLOATS = """
class Layer:
    def __init__(self, weight, bias, x_ruler, y_ruler, relu=False):
        low, high = torch.aminmax(weight, dim=1, keepdim=True)
        w_ruler = choose(low, high, -128, 127, symmetric=True)
        self.weight = dequantize(quantize(weight, w_ruler), w_ruler)
        self.bias, self.x_ruler, self.y_ruler, self.relu = bias, x_ruler, y_ruler, relu

    def __call__(self, q):
        y = dequantize(q, self.x_ruler) @ self.weight.T + self.bias
        codes = quantize(y, self.y_ruler)
        return codes.clamp(min=int(self.y_ruler.zero_point)) if self.relu else codes
"""
FLOAT_WEIGHT = IN_FLOATS.replace("dequantize(quantize(weight, w_ruler), w_ruler)", "weight")
SHARED = """
class Observer:
    low = high = torch.tensor(0.0)

    def __init__(self, quant_min, quant_max, symmetric=False):
        self.options = quant_min, quant_max, symmetric

    def __call__(self, x):
        Observer.low = torch.minimum(x.min(), Observer.low)
        Observer.high = torch.maximum(x.max(), Observer.high)
        return x

    def ruler(self):
        return choose(self.low, self.high, *self.options)
"""
ONE_OBSERVER = """
def observed_rulers(outputs):
    rulers, observer = {}, Observer(0, 255)
    for name in ("input", "conv1", "conv2", "fc"):
        observer(outputs[name])
        rulers[name] = observer.ruler()
    return rulers
"""


@pytest.mark.parametrize(
    ("name", "parts", "message"),
    [
        ("Layer", {"Layer": IN_FLOATS}, "You compute with floats and quantize the result."),
        ("Layer", {"Layer": FLOAT_WEIGHT}, "You compute with the float weight."),
        ("Observer", {"Observer": SHARED}, "Two observers share what they remember"),
        ("network", {"observed_rulers": ONE_OBSERVER}, "You observe all outputs by one observer"),
    ],
    ids=["floats", "float weight", "shared", "one observer"],
)
def test_a_wrong_design_gets_its_sentence(
    name: str, parts: dict[str, str], message: str, tmp_path: Path
) -> None:
    verdict = check(name, written(tmp_path, file_of(**parts)))
    assert not verdict
    assert verdict.sentence.startswith(message), verdict.sentence


def test_each_step_has_three_mistakes_at_the_least() -> None:
    for name in STEPS:
        assert len({row[1:3] for row in WRONG if row[0] == name}) >= 3, name


@pytest.mark.parametrize("exercise", tinyquant.STEPS, ids=lambda exercise: exercise.name)
def test_each_known_mistake_is_recognized(exercise: Exercise) -> None:
    for sentence, mistake in exercise.mistakes.items():
        with pytest.raises(WrongError) as wrong:
            judge(exercise, mistake)
        assert str(wrong.value).startswith(sentence)


@pytest.mark.parametrize("exercise", tinyquant.STEPS[:-1], ids=lambda exercise: exercise.name)
def test_what_a_check_holds_for_right_passes_it(exercise: Exercise) -> None:
    judge(exercise, exercise.right)


def test_a_wrong_step_is_found_behind_a_later_one(tmp_path: Path) -> None:
    source = file_of(choose=changed("choose", "steps / 2", "quant_max"))
    verdict = [check("Layer", written(tmp_path, source)) for _ in range(2)][-1]
    assert not verdict.hint  # one for Layer would not help
    assert verdict.sentence.startswith("Before `Layer` look at your `choose`, which is not right")
    assert "127.5" in verdict.sentence


def test_a_wrong_step_that_is_not_used_hides_no_mistake(tmp_path: Path) -> None:
    source = file_of(
        quantize="def quantize(x, ruler): ...", choose="def choose(*ends):\n    return ends"
    )
    sentence = check("choose", written(tmp_path, source)).sentence
    assert "quantize" not in sentence


@pytest.mark.filterwarnings("ignore:The use of `x.T`")  # which the reader sees above the error
def test_an_error_in_an_earlier_function_names_who_called_it(tmp_path: Path) -> None:
    source = file_of(network=changed("network", "weight.flatten(1)", "weight"))
    sentence = check("network", written(tmp_path, source)).sentence
    assert re.search(r"stops in line \d+, `.*`, called from line \d+, `.*`. Python says", sentence)
    assert sentence.endswith("flatten each kernel into a row.")


def test_a_file_is_checked_up_to_the_first_step_that_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, file_of(choose=definitions()[0]["choose"]))
    verdict = check("tinyquant", path)
    assert verdict.sentence.startswith("Right so far: quantize, dequantize. Now `choose`. `choose`")
    whole = file_of()
    path.write_text(whole[: whole.index("def choose")])
    verdict = check("tinyquant", path)
    assert not verdict and not verdict.hint
    assert repr(verdict).startswith(
        "Right so far: quantize, dequantize. Your numbers are those of Tensor.dequantize. "
        "Next: let `choose(low, high, quant_min, quant_max, symmetric=False)` return a Ruler"
    )
    path.write_text("")
    assert check("tinyquant", path).sentence.startswith("There is no `quantize` yet")


def qparams(ruler: Ruler, axis: int | None = None) -> QParams:
    """Return the package's qparams of a ruler."""
    scale, zero_point = ruler.scale, ruler.zero_point.to(torch.int32)
    if axis is not None:
        scale, zero_point = scale.flatten(), zero_point.flatten()
    return QParams(scale, zero_point, ruler.quant_min, ruler.quant_max, ruler.dtype, axis)


def cases_of(name: str) -> list[Any]:
    """Return the arguments of an exercise's cases."""
    return [fresh(case.args) for case in BY_NAME[name].tried()]


def test_codes_and_numbers_are_torchs() -> None:
    for x, ruler in cases_of("quantize"):
        numbers = tinyquant_quantize.numbers(tinyquant_quantize.right(x, ruler), ruler)
        ends = ruler.quant_min, ruler.quant_max
        if ruler.scale.ndim:
            rows = ruler.scale.flatten(), ruler.zero_point.flatten().int()
            theirs = torch.fake_quantize_per_channel_affine(x, *rows, 0, *ends)
        else:
            given = ruler.scale, ruler.zero_point
            theirs = torch.fake_quantize_per_tensor_affine(x, *given, *ends)
        assert torch.equal(numbers, theirs)


def test_rulers_are_those_of_the_package() -> None:
    for low, high, quant_min, quant_max, *symmetric in cases_of("choose"):
        ours = choose.right(low, high, quant_min, quant_max, *symmetric)
        axis = 0 if low.ndim else None
        ends = (low.flatten(), high.flatten()) if low.ndim else (low, high)
        theirs = choose_qparams(
            *ends,
            dtype=ours.dtype,
            symmetric=bool(symmetric),
            quant_min=quant_min,
            quant_max=quant_max,
            axis=axis,
        )
        assert torch.equal(qparams(ours, axis).scale, theirs.scale)
        assert torch.equal(qparams(ours, axis).zero_point, theirs.zero_point)


def test_an_observed_ruler_is_the_observers() -> None:
    for codes, batches in cases_of("Observer"):
        ours, theirs = observe.Right(*codes), MinMaxObserver()
        if len(codes) == 3:
            theirs = MinMaxObserver(dtype=torch.int8, symmetric=True)
        for batch in batches:
            ours(batch), theirs(batch)
        assert torch.equal(ours.ruler().scale, theirs.qparams().scale)
        assert torch.equal(ours.ruler().zero_point, theirs.qparams().zero_point)


def test_requantized_codes_are_those_of_the_package() -> None:
    for total, step, bias, output, *relu in cases_of("requantize"):
        # A step for each output, as fbgemm has it where each row of the weight has a scale.
        steps, biases = step.expand(total.shape[1]), bias.expand(total.shape[1])
        below = -output.quant_min  # fbgemm puts out uint8 alone: all codes are higher by this
        bytes_ = Ruler(output.scale, output.zero_point + below, 0, 255)
        theirs = requantize(
            total,
            torch.tensor(1.0),
            steps,
            biases,
            qparams(bytes_),
            relu=bool(relu),
            engine="fbgemm",
        )
        ours = right_requantize(total, step, bias, output, *relu)
        assert torch.equal(ours.int() + below, theirs.int())


def test_layers_are_those_of_the_package() -> None:
    for (weight, bias, x_ruler, y_ruler, *relu), q in cases_of("Layer"):
        ours = layer.Right(weight, bias, x_ruler, y_ruler, *relu)
        x = QTensor(q, qparams(x_ruler))
        stored = QTensor(ours.weight, qparams(ours.w_ruler, 0))
        theirs = linear_static(x, stored, bias, qparams(y_ruler), relu=bool(relu))
        assert torch.equal(ours(q), theirs.values)


def test_convolutions_are_those_of_the_package() -> None:
    for made, q in cases_of("convolve"):
        x = QTensor(q, qparams(made.x_ruler))
        kernels = made.weight.reshape(len(made.weight), -1, 3, 3)
        stored = QTensor(kernels, qparams(made.w_ruler, 0))
        theirs = conv2d_static(x, stored, made.bias, qparams(made.y_ruler), padding=1)
        assert torch.equal(layer.convolved(made, q), theirs.values)


def test_gradients_are_torchs() -> None:
    for x, ruler in cases_of("fake_quantize"):
        theirs = x.clone().requires_grad_()
        given = ruler.scale, ruler.zero_point, ruler.quant_min, ruler.quant_max
        y = torch.fake_quantize_per_tensor_affine(theirs, *given)
        y.sum().backward()
        parts = fake_quantize.drive(fake_quantize.right, x, ruler)
        assert torch.equal(parts["numbers"], y) and torch.equal(parts["gradient"], theirs.grad)


def test_groups_are_those_of_the_package() -> None:
    for w, bits, group_size in cases_of("quantize_groups"):
        codes, scales = groups.right(w, bits, group_size)
        theirs = quantize_groups(w, bits=bits, group_size=group_size)
        assert torch.equal(codes, theirs.codes)
        seen = theirs.scales > 1e-30  # a group of zeros has torchao's smallest scale there
        assert torch.equal(scales[seen], theirs.scales[seen]) and seen.any()


def test_the_network_is_computed_twice() -> None:
    few = network.cases()[0].args
    ours, packages = network.computed(*few), network.right(*few)
    assert list(ours) == list(packages)
    assert all(torch.equal(ours[name], packages[name]) for name in ours)


def told(monkeypatch: pytest.MonkeyPatch, **replaced: Any) -> str:
    for name, value in replaced.items():
        monkeypatch.setattr(beside_torch, name, value)
    return beside_torch.told_of_torch(network.digits()[0], network.expected())


def test_a_machine_without_the_engine_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    note = told(monkeypatch, working_engines=lambda: ("qnnpack",))
    assert "does not run on this machine" in note and "qlearn's alone" in note


@pytest.mark.skipif("fbgemm" not in working_engines(), reason="FBGEMM does not run here")
def test_other_engines_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.backends.quantized.engine
    assert "saturates on this processor" in told(monkeypatch, kernels_saturate=lambda: True)
    off = told(monkeypatch, kernels_saturate=lambda: False, by_torch=lambda *_: torch.tensor(999))
    assert "other codes here" in off
    assert torch.backends.quantized.engine == before
