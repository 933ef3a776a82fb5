"""What this machine does is found by trying, which engines work included."""

import platform
import warnings

import pytest
import torch

from qlearn.machine import engines as machine
from qlearn.machine import (
    int32_saturates,
    onednn_uses_arm_compute,
    use_engine,
    working_engines,
)

NAMES = ("fbgemm", "x86", "qnnpack", "onednn")


@pytest.fixture(autouse=True)
def engine_of_before():
    before = torch.backends.quantized.engine
    yield
    if before != "none":
        torch.backends.quantized.engine = before


@pytest.fixture
def only(monkeypatch):
    """Make only the named engines run a layer, whatever torch lists."""

    def run_on(*names):
        def run_linear():
            if torch.backends.quantized.engine not in names:
                raise RuntimeError("unknown architecure")

        monkeypatch.setattr(machine, "_run_linear", run_linear)
        monkeypatch.setattr(machine, "working_engines", working_engines.__wrapped__)

    return run_on


def test_each_working_engine_runs_torchs_own_layer():
    for name in working_engines():
        torch.backends.quantized.engine = name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            layer = torch.ao.nn.quantized.dynamic.Linear(4, 2)
            assert layer(torch.ones(1, 4)).shape == (1, 2)


def test_they_are_torchs_in_the_order_of_preference():
    working = working_engines()
    assert set(working) <= set(torch.backends.quantized.supported_engines)
    assert list(working) == [name for name in NAMES if name in working]


@pytest.mark.parametrize("part", ["_run_linear", "_run_dynamic_linear", "_run_convolution"])
def test_an_engine_needs_all_three_layers(monkeypatch, part):
    def refuse():
        raise RuntimeError("No fallback available for aarch64")

    monkeypatch.setattr(machine, part, refuse)
    assert working_engines.__wrapped__() == ()


def test_a_listed_engine_that_runs_nothing_does_not_count(only):
    only("qnnpack", "onednn")
    assert working_engines.__wrapped__() == ("qnnpack", "onednn")


def test_the_engine_of_before_is_set_again(only):
    only("qnnpack")
    torch.backends.quantized.engine = "onednn"
    working_engines.__wrapped__()
    assert torch.backends.quantized.engine == "onednn"


def test_none_is_not_set_back(monkeypatch):
    class Macs:
        """Torch's engines on a Mac: one, and none selected at first."""

        supported_engines = ("qnnpack", "none")
        selected = "none"

        @property
        def engine(self):
            return self.selected

        @engine.setter
        def engine(self, name):
            if name == "none":
                raise RuntimeError("selected engine none")
            self.selected = name

    monkeypatch.setattr(torch.backends, "quantized", Macs())
    for part in ("_run_linear", "_run_dynamic_linear", "_run_convolution"):
        monkeypatch.setattr(machine, part, lambda: None)
    assert working_engines.__wrapped__() == ("qnnpack",)
    assert torch.backends.quantized.engine == "qnnpack"


def test_the_first_that_works_is_used(only):
    only("qnnpack", "onednn")
    assert use_engine() == "qnnpack"
    assert use_engine("fbgemm", "onednn", "qnnpack") == "onednn"
    assert torch.backends.quantized.engine == "onednn"


def test_nothing_wanted_works(only):
    only("qnnpack")
    with pytest.raises(RuntimeError, match="engines fbgemm, x86 here.*those that do: qnnpack"):
        use_engine("fbgemm", "x86")


def test_no_engine_works(only):
    only()
    with pytest.raises(RuntimeError, match="lists .*need a torch with one"):
        use_engine()


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="wanted must be 'fbgemm', .*, not 'cuda'"):
        use_engine("cuda")


@pytest.mark.parametrize(
    ("machine", "saturates"), [("x86_64", False), ("AMD64", False), ("aarch64", True)]
)
def test_what_the_processor_makes_of_too_large_a_float(machine, saturates):
    if platform.machine() == machine:
        assert int32_saturates() is saturates


def test_only_linux_on_arm_has_the_arm_compute_library(monkeypatch):
    if (platform.system(), platform.machine()) != ("Linux", "aarch64"):
        assert not onednn_uses_arm_compute()
    monkeypatch.setattr(torch._C, "_has_mkldnn_acl", True)
    assert onednn_uses_arm_compute()
    monkeypatch.delattr(torch._C, "_has_mkldnn_acl")  # as in older versions
    assert not onednn_uses_arm_compute()
