"""A batch norm that is folded, drawn: both ways end at the number that torch finds."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils import fuse_conv_bn_eval

from qlearn.course.drawings.folded_norm import folded_norm, step
from qlearn.course.drawings.svg import Drawing
from tests.course.drawings.drawn import svg_of


def drawn() -> Drawing:
    return folded_norm(2, 3, mean=2, deviation=4, gamma=2, beta=0.5)


def layers() -> tuple[nn.Conv2d, nn.BatchNorm2d]:
    """Return the drawing's convolution and batch norm, with an ε of 0."""
    conv, norm = nn.Conv2d(1, 1, 1, bias=False).eval(), nn.BatchNorm2d(1, eps=0.0).eval()
    nn.init.constant_(conv.weight, 3.0)
    norm.load_state_dict(
        {
            "weight": torch.tensor([2.0]),
            "bias": torch.tensor([0.5]),
            "running_mean": torch.tensor([2.0]),
            "running_var": torch.tensor([16.0]),
            "num_batches_tracked": torch.tensor(1),
        }
    )
    return conv, norm


def test_the_words_say_what_torch_folds() -> None:
    conv, norm = layers()
    folded = fuse_conv_bn_eval(conv, norm)
    x = torch.full((1, 1, 1, 1), 2.0)
    assert folded.bias is not None
    assert (folded.weight.item(), folded.bias.item()) == (1.5, -0.5)
    assert norm(conv(x)).item() == folded(x).item() == 2.5
    assert drawn().label.endswith("Two: 2, × 1.5 = 3, − 0.5 = 2.5.")


def test_a_bias_that_is_positive_is_added() -> None:
    said = folded_norm(1, 1, mean=0, deviation=2, gamma=1, beta=1).label
    assert said.endswith("Two: 1, × 0.5 = 0.5, + 1 = 1.5.")


def test_each_step_has_a_box_and_its_result() -> None:
    svg = svg_of(drawn())
    assert len(list(svg.iter("rect"))) == 7
    texts = [each.text for each in svg.iter("text")]
    assert {"× 3", "− 2", "÷ 4", "× 2", "+ 0.5", "× 1.5", "− 0.5"} <= set(texts)
    assert texts.count("2.5") == 2


def test_the_four_signs() -> None:
    assert [step(6.0, sign, 2.0) for sign in "×÷+−"] == [12.0, 3.0, 8.0, 4.0]
