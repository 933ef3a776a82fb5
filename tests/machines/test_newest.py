"""The newest torch beside the course's: where it is installed, and what it is said to be."""

import subprocess
import sysconfig
from pathlib import Path

import pytest

import machines.newest as newest
from api_status.record import load as load_status
from machines import record
from machines.marks import MARKS, RELEASE
from machines.run import missing
from machines.settings import BY_NAME, possible

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def nothing_built(monkeypatch, tmp_path):
    monkeypatch.setattr(newest, "BUILD", tmp_path)
    return tmp_path


def test_the_setting_is_left_out_until_its_torch_is_there(nothing_built):
    assert "newest torch" not in possible()
    assert "`make newest` installs it" in missing(BY_NAME["newest torch"])


def test_an_environment_counts_once_pip_has_ended_and_finds_its_own_torch_first(
    nothing_built, monkeypatch
):
    asked = []

    def run(command, check):
        assert check and not newest.is_installed(newest.NEWEST)
        asked.append(command[1:])
        (nothing_built / f"torch-{newest.NEWEST}" / "lib").mkdir(parents=True, exist_ok=True)
        newest._others(newest.NEWEST).parent.mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(subprocess, "run", run)
    newest.install(newest.NEWEST)
    assert [command[-1] for command in asked] == [
        str(nothing_built / f"torch-{newest.NEWEST}"),
        f"torch=={newest.NEWEST}",
    ]
    assert newest.is_installed(newest.NEWEST) and "newest torch" in possible()
    # A folder that a .pth names comes behind the one that the file lies in.
    named = newest._others(newest.NEWEST).read_text(encoding="utf-8").strip()
    assert named == sysconfig.get_path("purelib")


def test_the_row_names_the_torch_that_ran():
    row = record.Row.of(BY_NAME["newest torch"], [])
    assert f"torch {newest.NEWEST}," in row.where and newest.NEWEST in row.means


def test_the_mark_of_another_release_does_not_apply_to_the_courses():
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert f"\ntorch=={RELEASE}." in pins
    assert not MARKS["release"].applies()


def test_it_is_the_newest_that_the_entry_points_were_tried_with():
    assert load_status()[-1]["torch"] == newest.NEWEST
