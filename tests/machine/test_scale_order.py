"""The order of the two scales: what is found for a shape is what torch's layer of it then does."""

import platform
from collections.abc import Iterator

import pytest
import torch

from qlearn.machine import joins_scales, scale_order

on_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="these are x86-64 instructions"
)


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """Let each test try for itself."""
    scale_order._linear_joins.cache_clear()
    yield
    scale_order._linear_joins.cache_clear()


@on_x86
@pytest.mark.parametrize(("limit", "answer"), [("AVX2", "True"), ("AVX512_CORE_VNNI", "False")])
def test_the_answer_changes_with_the_instructions_that_onednn_may_use(
    probe, limit: str, answer: str
) -> None:
    if limit != "AVX2" and not torch.cpu.get_capabilities().get("avx512_vnni"):
        pytest.skip("this processor has no AVX512-VNNI")
    program = "from qlearn.machine import joins_scales; print(joins_scales(64, 64, 64))"
    assert probe(program, ONEDNN_MAX_CPU_ISA=limit).strip() == answer


@pytest.mark.parametrize("decides", [False, True], ids=["elsewhere", "AMX"])
def test_only_with_amx_each_shape_is_tried(monkeypatch, decides: bool) -> None:
    tried = []
    monkeypatch.setattr(scale_order, "shape_decides", lambda: decides)
    monkeypatch.setattr(scale_order, "_linear_joins", lambda *shape: tried.append(shape))
    joins_scales(64, 32, 16)
    assert tried == [(64, 32, 16) if decides else (1, 1, 1)]


@pytest.mark.parametrize("empty", [(0, 3, 4), (2, 0, 4), (2, 3, 0)])
def test_an_empty_product_is_not_tried(monkeypatch, empty: tuple[int, int, int]) -> None:
    monkeypatch.setattr(torch, "zeros", None)
    assert scale_order._linear_joins(*empty) is False


def test_without_onednn_nothing_is_tried(monkeypatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    monkeypatch.setattr(torch.ops, "onednn", None)
    assert scale_order._linear_joins(1, 1, 1) is False
