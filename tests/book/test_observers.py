"""What the chapter on observers says in words, and prints nowhere."""

from __future__ import annotations

import inspect
import math
import re

import nbformat
import pytest
import torch

from qlearn import MinMaxObserver, QParams, choose_qparams, fake_quantize, mse, simulate, split_mse
from qlearn.course import split_digits, trained_digits_net
from qlearn.course.broken.nets import fold_batch_norms
from qlearn.course.drawings.end_of_histogram import cost_of_end
from qlearn.course.static_graph import _torchao, for_x86, static_graph
from qlearn.course.widgets import ObserverStream
from qlearn.numbers.metrics import sqnr
from tests.book.test_snippets import BOOK, snippets

COUNTS = [100, 80, 60, 30, 16, 9, 4, 0, 0, 1]


def test_the_histogram_worked_by_hand_is_what_the_search_computes() -> None:
    assert cost_of_end(COUNTS, 10, 4)[0] == pytest.approx(300 * 0.52, rel=0.03)
    rounding, clipping = cost_of_end(COUNTS, 6, 4)
    assert rounding == pytest.approx(295 * 1.5**2 / 12, abs=0.5)
    assert clipping == pytest.approx(4 * (6.5 - 5.25) ** 2 + (9.5 - 5.25) ** 2, abs=0.7)


def test_pt2e_watches_activations_by_histograms_and_weights_by_channel() -> None:
    pt2e, x86 = _torchao()
    config = x86.get_default_x86_inductor_quantization_config()
    images, net = split_digits().train_images[:4], trained_digits_net()
    prepared = pt2e.prepare_pt2e(torch.export.export(net, (images,)).module(), for_x86())
    names = {
        type(module).__name__
        for _, module in prepared.named_children()
        if "Observer" in str(module)
    }
    assert names == {"HistogramObserver", "PerChannelMinMaxObserver"}
    assert config.weight.ch_axis == 0
    difference = prepared(images) - net(images)
    assert difference.abs().max() < 1e-4
    assert not any("bserver" in type(m).__name__ for m in pt2e.convert_pt2e(prepared).modules())


def test_pt2e_has_no_percentile() -> None:
    _torchao()
    from torchao.quantization.pt2e import observer

    assert not [name for name in vars(observer) if "percentile" in name.lower()]
    assert "percentile" not in inspect.getsource(observer).lower()


def test_the_weights_of_a_hot_calibration_have_the_same_codes() -> None:
    images = split_digits().train_images[:64]
    models = [static_graph(trained_digits_net(), [x]) for x in (images, images * 255)]
    weights = [
        [b for b in model.buffers() if b.dtype == torch.int8 and b.dim() > 1] for model in models
    ]
    assert len(weights[0]) == 3
    assert all(torch.equal(a, b) for a, b in zip(*weights, strict=True))


def test_simulate_with_minmax_gives_the_outputs_of_pt2e() -> None:
    _, x86 = _torchao()
    from dataclasses import replace

    from torchao.quantization.pt2e.observer import MinMaxObserver as Theirs

    data, net = split_digits(), trained_digits_net()
    config = x86.get_default_x86_inductor_quantization_config()
    spec = replace(config.input_activation, observer_or_fake_quant_ctr=Theirs)
    mine = replace(config, input_activation=spec, output_activation=spec)
    graph = static_graph(
        net, data.train_images[:64].split(32), x86.X86InductorQuantizer().set_global(mine)
    )
    ours = simulate(fold_batch_norms(net), data.train_images[:64])
    with torch.no_grad():
        assert sqnr(graph(data.test_images), ours(data.test_images)) > 60


def test_half_as_bright_clips_three_pixels_in_ten() -> None:
    images = split_digits().train_images[:256]
    assert round(10 * (images > 0.5).float().mean().item()) == 3
    assert images.numel() == 16_384 and images.max() == 1


def test_a_hot_pixel_leaves_the_codes_0_and_1() -> None:
    ruler = QParams(1.0, 0, 0, 255, torch.uint8)
    assert set(fake_quantize(split_digits().train_images[:256], ruler).unique().tolist()) == {0, 1}


@pytest.mark.parametrize("at", [2, 5, 9])
def test_the_widget_s_task_has_an_answer_and_minmax_stays_best(at: int) -> None:
    # the layer of the page, which tests/book does not run: see the cell before the widget
    from qlearn.course import normal

    rng = torch.Generator().manual_seed(5)
    weight = (normal(64, 32, generator=rng) * (2 / 32) ** 0.5).double()

    def outputs(n: int, seed: int) -> torch.Tensor:
        rng = torch.Generator().manual_seed(seed)
        contrast = torch.exp(0.2 * normal(n, 1, generator=rng).double())
        return (contrast * normal(n, 32, generator=rng) @ weight.T).float()

    batches, unseen = outputs(120, 9).reshape(60, 128), outputs(32, 3)

    def ends_with(observer: str, c: float = 0.01) -> float:
        shown = ObserverStream(
            batches,
            unseen,
            observer=observer,
            averaging_constant=c,
            outlier=40.0,
            outliers=(at,),
            seen=60,
        )
        return float(shown.sqnr)

    averages = {c: ends_with("moving_average", c) for c in (0.01, 0.03, 0.05, 0.1, 0.3, 1.0)}
    assert {c for c, decibels in averages.items() if decibels > 24} == {0.03, 0.05, 0.1}
    assert max(averages.values()) < ends_with("minmax")


def test_half_of_a_moving_average_is_the_first_batch_after_69_more() -> None:
    assert math.floor(math.log(0.5) / math.log(0.99)) == 68 and 0.99**69 < 0.5 < 0.99**68


def test_an_observer_gives_back_what_it_got() -> None:
    x = torch.tensor([1.0, 2.0])
    assert MinMaxObserver()(x) is x


def test_the_lines_of_the_page_list_what_observers_have_seen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pt2e, _ = _torchao()
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
    inputs = torch.linspace(-1, 2, 32).reshape(8, 4)
    prepared = pt2e.prepare_pt2e(torch.export.export(model, (inputs,)).module(), for_x86())
    prepared(inputs)
    (block,) = snippets("calibration/observers")
    exec(block, {"prepared": prepared})
    first, second = capsys.readouterr().out.splitlines()
    hidden = model[:2](inputs).max().item()
    assert first.split()[1:] == ["-1.0", "2.0"]
    assert second.startswith("relu 0.0 ")
    assert float(second.split()[2]) == pytest.approx(hidden)


def test_the_ruler_for_few_bits_has_as_many_marks_and_the_sum_is_an_error() -> None:
    cells = nbformat.read(BOOK / "calibration" / "observers.ipynb", as_version=4).cells
    lines = [line for cell in cells for line in cell.source.splitlines()]
    (row,) = [line for line in lines if "split_mse" in line and line.startswith("|")]
    error, ruler = re.findall(r"`([^`]+)`", row)
    made = eval(ruler, {"choose_qparams": choose_qparams, "torch": torch, "end": 3.0})
    assert (made.quant_min, made.quant_max, made.scale.item()) == (0, 15, pytest.approx(3 / 15))
    x = torch.linspace(0, 4, 100)
    found = eval(error, {"split_mse": split_mse, "x": x, "ruler": made})
    assert found == pytest.approx(mse(x, fake_quantize(x, made)))


def test_to_clamp_the_inputs_removes_the_hot_pixel_from_the_range() -> None:
    images = split_digits().train_images[:32]
    hot = images.clone()
    hot[7, 0, 3, 3] = 255.0
    net, x = fold_batch_norms(trained_digits_net()), split_digits().test_images
    with torch.no_grad():
        clean, spoiled, clamped = (
            sqnr(net(x), simulate(net, shown)(x)) for shown in (images, hot, hot.clamp(0, 1))
        )
    assert spoiled < 10 < clean - 1 < clamped
