"""The command that records the guide's configs for other programs: what it runs and keeps."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from measure.guide import __main__ as command
from measure.guide.found import Found, sizes
from measure.guide.llama import calibration, exact, inputs
from measure.guide.llama_cpp import shell, source, summary
from measure.guide.record import ELSEWHERE, load, recorded, with_run
from qlearn import load_language_text
from qlearn.course.decisions import LEAVES
from qlearn.course.guide_runs import GuideRun

FOUND = Found("the ViT", 254, 1000, 40.123, "1.2.3", "all went well")


def test_each_leaf_has_its_program() -> None:
    assert set(command.PROGRAMS) == set(ELSEWHERE)
    assert all(find_spec(f"measure.guide.{name}") for name in command.PROGRAMS.values())


def test_a_run_is_kept_with_the_config_and_this_machine() -> None:
    run = GuideRun(**recorded("onnx_dynamic", FOUND))
    assert (run.config, run.program) == (LEAVES["onnx_dynamic"].config, "onnxruntime")
    assert (run.size, run.whole, run.sqnr, run.said) == (254, 1000, 40.12, "all went well")
    assert run.machine and len(run.date) == len("2026-01-02")


def test_a_run_takes_the_place_of_the_last_one() -> None:
    record = with_run(with_run({"runs": []}, {"leaf": "gptq", "size": 1}), {"leaf": "gguf_8"})
    assert with_run(record, {"leaf": "gptq", "size": 2})["runs"] == [
        {"leaf": "gguf_8"},
        {"leaf": "gptq", "size": 2},
    ]


def test_the_command_runs_a_program_in_an_empty_folder_and_records_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[object] = []

    def run(name: str) -> Found:
        seen.extend([name, list(Path().iterdir())])
        return FOUND

    path = tmp_path / "guide_runs.json"
    monkeypatch.setattr(command, "import_module", lambda name: SimpleNamespace(run=run))
    monkeypatch.setattr(command, "GUIDE_RECORD", path)
    monkeypatch.setattr(command, "load", lambda: load(path))
    monkeypatch.setattr(sys, "argv", ["guide", "onnx_dynamic"])
    before = Path.cwd()
    command.main()
    assert seen == ["onnx_dynamic", []] and Path.cwd() == before
    assert [one["leaf"] for one in load(path)["runs"]] == ["onnx_dynamic"]
    assert "25 %, 40 dB  dynamic int8 by ONNX Runtime" in capsys.readouterr().out


def test_a_leaf_that_runs_here_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["guide", "half"])
    with pytest.raises(SystemExit):
        command.main()
    assert "invalid choice: 'half'" in capsys.readouterr().err


def test_files_are_compared(tmp_path: Path) -> None:
    small, whole = tmp_path / "small", tmp_path / "whole"
    small.write_bytes(b"1")
    whole.write_bytes(b"1234")
    assert sizes(str(small), str(whole)) == (1, 4)


def test_the_language_model_is_measured_on_what_it_has_not_seen() -> None:
    held, seen = load_language_text("held_out"), load_language_text("train")
    windows = [bytes(window) for window in inputs().tolist()]
    assert all(window in held and window not in seen for window in windows)
    assert all(bytes(window) in seen for window in calibration(3).tolist())
    assert exact().shape == (len(windows), 256, 256)
    assert exact().dtype == torch.float32


# ------------------------------------------------------------------ llama.cpp


def test_where_llama_cpp_is_not_built_a_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_CPP", str(tmp_path))
    with pytest.raises(RuntimeError, match="llama.cpp was built: run make guide-runs"):
        source()


def test_commands_run_with_its_programs_and_stop_at_the_first_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "build" / "bin"
    folder.mkdir(parents=True)
    program = folder / "llama-quantize"
    program.write_text("#!/bin/sh\necho quantized $1")
    program.chmod(0o755)
    monkeypatch.setenv("LLAMA_CPP", str(tmp_path))
    assert shell("\nllama-quantize a\nllama-quantize b\n") == "quantized a\nquantized b\n"
    with pytest.raises(RuntimeError, match="false\nllama-quantize a ended with 1"):
        shell("false\nllama-quantize a")


def test_what_llama_quantize_says_of_the_whole_is_kept() -> None:
    said = "[ 1/39] type = f16, size = 0.06\nf: quant size  =  1 MiB (8.50 BPW)\n"
    assert summary(said) == "quant size = 1 MiB (8.50 BPW)"
    warned = said + "f: WARNING: 25 of 39 tensor(s) required fallback quantization\nmain: 3 ms"
    assert summary(warned).splitlines()[1].startswith("WARNING: 25 of 39")
