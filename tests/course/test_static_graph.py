from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from qlearn import sqnr
from qlearn.course import digits_right, number_bytes, split_digits, trained_digits_net
from qlearn.course.static_graph import for_x86, static_graph
from qlearn.course.unused_weights import drop_unused_weights
from tests.preactivation import Preactivation

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:UserWarning")


def model() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).eval()


def batch(rows: int = 8) -> Tensor:
    return torch.linspace(-1, 1, rows * 16).reshape(rows, 16)


def test_it_computes_the_model_for_any_number_of_rows() -> None:
    net = model()
    graph = static_graph(net, [batch()])
    with torch.no_grad():
        for rows in (2, 8, 30):
            assert sqnr(net(batch(rows)), graph(batch(rows))) > 30


def test_it_holds_codes_of_a_byte_and_no_float_weights() -> None:
    graph = static_graph(model(), [batch()])
    stored = {tuple(one.shape): one.dtype for one in graph.state_dict().values() if one.ndim == 2}
    assert stored == {(32, 16): torch.int8, (4, 32): torch.int8}
    assert drop_unused_weights(graph) == []


def test_ranges_come_from_all_batches() -> None:
    net = model()
    narrow, wide = static_graph(net, [batch()]), static_graph(net, [batch(), 10 * batch()])
    exact = net(10 * batch())
    assert sqnr(exact, wide(10 * batch())) > sqnr(exact, narrow(10 * batch())) + 10


def test_the_float_model_is_not_changed() -> None:
    net = trained_digits_net()
    before = {name: one.clone() for name, one in net.state_dict().items()}
    graph = static_graph(net, [split_digits().train_images[:64]], for_x86())
    assert all(torch.equal(before[name], one) for name, one in net.state_dict().items())
    assert digits_right(graph) >= 346
    assert number_bytes(graph) < number_bytes(net) / 3


@pytest.mark.parametrize(
    ("given", "batches", "error", "says"),
    [
        (torch.relu, [batch()], TypeError, "pass a torch.nn.Module"),
        (model().train(), [batch()], ValueError, "pass model.eval"),
        (
            nn.Linear(16, 2, device="meta").eval(),
            [batch()],
            ValueError,
            "a shape and no numbers",
        ),
        (nn.LazyLinear(2).eval(), [batch()], ValueError, "weight has no shape yet: call the model"),
        (model(), [], ValueError, "no batches"),
        (model(), [(batch(), 3)], TypeError, "without labels"),
        (model(), batch(), TypeError, r"a list of them, such as \[batch\]"),
        (model(), [batch(), batch()[:0]], ValueError, "a batch is empty"),
        (model(), [batch().double()], ValueError, r"is torch.float64, .* pass batch.float\(\)"),
        (
            model(),
            [batch().to("meta")],
            TypeError,
            "a batch is on the device meta, .*: pass",
        ),
        (model().double(), [batch()], ValueError, r"0.weight is torch.float64, .* model.float"),
        (nn.Sequential(nn.Tanh()).eval(), [batch()], ValueError, "found nothing to quantize"),
    ],
    ids=[
        "function",
        "training",
        "device",
        "lazy",
        "no batches",
        "labels",
        "a tensor",
        "empty",
        "float64 batch",
        "batch elsewhere",
        "float64 model",
        "no layers",
    ],
)
def test_what_does_not_fit_is_said(
    given: nn.Module, batches: list[Tensor], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        static_graph(given, batches)


class Noisy(nn.Module):
    """A model with a batch norm that answers otherwise each time."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.Sequential(nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.parts(x), 0.5)


def test_a_model_that_is_never_the_same_is_taken() -> None:
    static_graph(Noisy().eval(), [torch.linspace(-1, 1, 256).reshape(2, 2, 8, 8)])


@pytest.mark.usefixtures("never_trained")
def test_a_norm_that_was_folded_wrongly_is_named() -> None:
    images = torch.linspace(-1, 1, 256).reshape(2, 2, 8, 8)
    with pytest.raises(ValueError, match="wrong before anything is rounded"):
        static_graph(Preactivation(copies=False), [images])
    net = Preactivation(copies=True)
    with torch.no_grad():
        assert sqnr(net(images), static_graph(net, [images])(images)) > 30
