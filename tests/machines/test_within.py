"""A command as on another machine: where this one cannot play it, that is said."""

from __future__ import annotations

import pytest
import torch

from machines.within import main


def test_what_this_processor_lacks_is_not_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    assert main(["AMX", "--", "true"]) == 2
    assert "this processor has no amx_int8" in capsys.readouterr().err


def test_a_command_runs_in_a_setting_and_its_status_counts() -> None:
    assert main(["AVX2", "--", "sh", "-c", "test $ATEN_CPU_CAPABILITY = avx2"]) == 0
    assert main(["AVX2", "--", "false"]) == 1


@pytest.mark.parametrize("arguments", [["AVX2"], ["none", "--", "true"], ["spaces", "--", "true"]])
def test_what_cannot_be_run_so_is_said(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert "python -m machines" in capsys.readouterr().err
