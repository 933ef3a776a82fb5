"""The page of symptoms: each message is what torch or torchao says here, word for word.

Those of two other machines, one without an engine and one with a graphics card, are not provoked.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch
import torch.ao.quantization as old
from torch import nn

from tests.book.provoked import (
    ALSO,
    PROVOKED,
    WARNED,
    Twice,
    X,
    for_x86,
    linear,
    prepared_for_training,
    weight_only,
)
from tests.book.symptoms_page import ENTRIES, HEADINGS, SECTION, TEXT
from tests.probes import Fork, Probe

ITEM = re.compile(r"^- \*\*.*(?:\n(?:  .*)?)*", re.MULTILINE)
# Whose messages test_symptoms_elsewhere.py provokes
OF_OTHERS = {"out-variants", "onnx-function", "bitsandbytes", "purely", "load-in", "linear4bit"}

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:UserWarning")


def plain(text: str) -> str:
    """Return the text without marks of code and without the sign of a NaN."""
    return text.replace("`", "").replace("-nan", "nan")


def raised(call: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:
        call()
    return plain(str(caught.value))


@pytest.mark.parametrize("name", PROVOKED)
def test_a_message_is_what_is_raised(name: str) -> None:
    assert plain(HEADINGS[name]) in raised(PROVOKED[name])


@pytest.mark.parametrize(("name", "call", "message"), ALSO, ids=[each[2] for each in ALSO])
def test_another_message_of_an_entry_is_what_is_raised(
    name: str, call: Callable[[], object], message: str
) -> None:
    assert message in raised(call)
    assert message in plain(ENTRIES[name])


@pytest.mark.parametrize("name", WARNED)
def test_a_warning_is_what_is_said(name: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        WARNED[name]()
    assert any(plain(HEADINGS[name]) in str(warning.message) for warning in said)


def test_a_file_of_torchaos_needs_torchao(tmp_path: Path, fork: Fork) -> None:
    torch.save(weight_only().state_dict(), path := tmp_path / "weights.pt")
    ended = fork(f"import torch; torch.load({str(path)!r})")
    assert plain(HEADINGS["global"]) in plain(ended.died)


def test_torchao_says_which_programs_it_cannot_load(fork: Fork) -> None:
    parts = HEADINGS["extensions"].split("…")
    pattern = ".*".join(map(re.escape, parts))
    assert torch.cuda.is_available() or re.search(pattern, fork("import torchao").said)


def test_a_process_that_traces_a_weight_of_torchaos_dies(fork_with_torchao: Fork) -> None:
    ended = fork_with_torchao(
        "import io, torch; from tests.book.provoked import weight_only, X\n"
        "torch.jit.save(torch.jit.trace(weight_only(), X), io.BytesIO())"
    )
    assert ended.died == "SIGSEGV" and "Error" not in ended.said


def test_a_process_that_shares_a_weight_of_torchaos_dies(fork_with_torchao: Fork) -> None:
    program = "from tests.book.provoked import weight_only; weight_only().share_memory()"
    ended = fork_with_torchao(program)
    assert ended.died == "SIGSEGV" and "Error" not in ended.said


def test_qnnpack_says_that_it_ignores_reduce_range(probe: Probe) -> None:
    said = probe(
        "import torch; from qlearn.machine import use_engine; use_engine('qnnpack')\n"
        "w = torch.quantize_per_tensor(torch.ones(2, 3), 0.5, 0, torch.qint8)\n"
        "packed = torch.ops.quantized.linear_prepack(w, None)\n"
        "torch.ops.quantized.linear_dynamic(torch.ones(1, 3), packed, reduce_range=True)"
    )
    assert plain(HEADINGS["ignores"]) in said


def test_the_compiler_calls_openssl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import codecache

    # In the place of a C++ compiler stands one that writes nothing, so that none is needed.
    monkeypatch.setattr(codecache, "CppBuilder", MagicMock())
    monkeypatch.setattr(codecache, "CppTorchDeviceOptions", MagicMock())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="'openssl'"):
        codecache._precompile_header("none.h", "", of=str(tmp_path))
    assert "`FileNotFoundError: … 'openssl'`" in ENTRIES["compiler"]


def test_a_module_called_twice_is_exported_strictly() -> None:
    assert isinstance(for_x86(Twice(), strict=True), torch.fx.GraphModule)


def test_padding_in_numbers_is_known() -> None:
    model = Twice(padding="same")
    for layer in (model.first, model.second):
        layer.padding = tuple((k - 1) // 2 for k in layer.kernel_size)
    assert isinstance(for_x86(model, strict=True), torch.fx.GraphModule)


def test_pt2e_takes_another_eps_for_batch_norms_in_training() -> None:
    model = nn.Sequential(nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2, eps=1e-3)).train()
    prepared = prepared_for_training(model, torch.zeros(2, 2, 8, 8))
    norms = [node for node in prepared.graph.nodes if "batch_norm" in str(node.target)]
    assert [norm.args[-2] for norm in norms] == [1e-5]


def test_training_without_is_qat_puts_in_observers() -> None:
    prepared = prepared_for_training(linear().train(), X, is_qat=False)
    kinds = {type(part).__name__ for part in prepared.modules()}
    assert "HistogramObserver" in kinds
    assert not any("FakeQuantize" in kind for kind in kinds)


def test_a_histogram_ends_its_warning_in_other_words() -> None:
    with pytest.warns(UserWarning, match="Returning default scale and zero point"):
        old.HistogramObserver().calculate_qparams()


def test_a_histogram_leaves_infinities_out_and_warns() -> None:
    said = "torch.inf detected in input tensor, ignoring input"
    assert said in ENTRIES["histc"]
    with pytest.warns(UserWarning, match=said):
        old.HistogramObserver()(torch.tensor([1.0, float("inf")]))


def test_a_cast_beyond_the_end_of_float8_gives_448_infinity_or_nan() -> None:
    x = torch.tensor([1e9])
    kinds = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)
    found = [x.to(kind).float().item() for kind in kinds]
    assert found[:2] == [448, float("inf")] and all(value != value for value in found[2:])
    scale = x.abs().max() / 448
    back = (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn).float() * scale
    assert back.item() == pytest.approx(1e9)


def test_the_two_e4m3_differ_by_a_factor_of_two() -> None:
    codes = torch.arange(1, 127, dtype=torch.uint8)
    fn, fnuz = (codes.view(kind).float() for kind in (torch.float8_e4m3fn, torch.float8_e4m3fnuz))
    assert torch.equal(fn, 2 * fnuz)
    end = torch.tensor([240.0]).to(torch.float8_e4m3fnuz).view(torch.uint8)
    assert end.view(torch.float8_e4m3fn).isnan().all()


def test_the_diagnosis_prints_what_stands_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", TEXT, re.S)
    exec(code, {})
    assert capsys.readouterr().out == printed


def test_each_symptom_is_found_in_the_list_above() -> None:
    links = re.findall(r"\(#symptom-([\w-]+)\)", TEXT)
    assert sorted(links) == sorted(HEADINGS)
    assert len(HEADINGS) >= 20


def test_each_entry_says_all_four() -> None:
    """With several causes, each is an item with its repair, and its test if the entry has none."""
    for name, entry in ENTRIES.items():
        items = ITEM.findall(entry)
        rest = ITEM.sub("", entry)
        assert entry.count("**Page.**") == 1, f"{name} has not one page"
        assert len(items) != 1, f"{name} has a list of one cause"
        for part in ("**Test.**", "**Repair.**"):
            for item in items:
                said = item.count(part) == 1 or (part == "**Test.**" and part in rest)
                assert said, f"{name} has not one {part} in {item[:50]}"
            assert items or rest.count(part) == 1, f"{name} has not one {part}"
        assert items or rest.count("**Cause.**") == 1, f"{name} has not one cause"


def test_each_message_is_provoked() -> None:
    messages = TEXT.partition("\n## It runs, and is wrong")[0]
    names = {name for name, _ in SECTION.findall(messages)}
    apart = {"global", "ignores", "dies", "extensions"}
    assert names - {*PROVOKED, *WARNED, *apart, *OF_OTHERS} == {"no-engine", "cuda"}


def test_another_wording_is_seen() -> None:
    assert "Could not run 'quantized::conv9d'" not in raised(PROVOKED["quantized-linear"])
