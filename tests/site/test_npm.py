"""What the checks need comes from npm, byte for byte what is pinned, or a sentence says why not."""

import base64
import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

from site_checks import npm
from site_checks.axe import axe_script
from site_checks.site import served

LOCK = json.loads((npm.HERE / "package-lock.json").read_text())
ADVICE = "npm could not install what the checks need"


def test_the_lock_pins_version_and_checksum_and_names_no_host() -> None:
    wanted = json.loads((npm.HERE / "package.json").read_text())["dependencies"]
    locked = {path: entry for path, entry in LOCK["packages"].items() if path}
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(entry["integrity"].startswith("sha512-") for entry in locked.values())
    assert not any("resolved" in entry for entry in locked.values())


def test_what_is_installed_is_what_the_lock_names() -> None:
    version = LOCK["packages"]["node_modules/axe-core"]["version"]
    assert axe_script().startswith(f"/*! axe v{version}\n")


def registry(folder: Path, base: str) -> str:
    """Write a registry that has one release, of one file, and return its checksum."""
    script = b"/*! axe v1.0.0\n */"
    package = json.dumps({"name": "axe-core", "version": "1.0.0"}).encode()
    with tarfile.open(folder / "axe.tgz", "w") as archive:
        for name, data in (("axe.min.js", script), ("package.json", package)):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    digest = hashlib.sha512((folder / "axe.tgz").read_bytes()).digest()
    release = {"name": "axe-core", "version": "1.0.0", "dist": {"tarball": f"{base}axe.tgz"}}
    releases = {"name": "axe-core", "versions": {"1.0.0": release}}
    (folder / "axe-core").write_text(json.dumps(releases))
    return f"sha512-{base64.b64encode(digest).decode()}"


def manifests(folder: Path, integrity: str) -> Path:
    """Write the two files that ask for that release, with this checksum."""
    wanted = {"name": "x", "dependencies": {"axe-core": "1.0.0"}}
    entry = {"version": "1.0.0", "integrity": integrity}
    packages = {"": wanted, "node_modules/axe-core": entry}
    lock = {"name": "x", "lockfileVersion": 3, "requires": True, "packages": packages}
    (folder / "package.json").write_text(json.dumps(wanted))
    (folder / "package-lock.json").write_text(json.dumps(lock))
    return folder


@pytest.mark.parametrize("tampered", [False, True])
def test_only_the_right_bytes_are_installed(
    tampered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "npm"
    with served(tmp_path) as base:
        monkeypatch.setenv("npm_config_registry", base)
        monkeypatch.setenv("npm_config_fetch_retries", "0")  # else npm waits for a better answer
        checksum = registry(tmp_path, base)
        wrong = f"sha512-{base64.b64encode(bytes(64)).decode()}"
        asked = manifests(tmp_path, wrong if tampered else checksum)
        if tampered:
            with pytest.raises(npm.NoPackageError, match=f"(?s){ADVICE}.*EINTEGRITY"):
                npm.install(asked, target)
        else:
            npm.install(asked, target)
            assert axe_script(target) == "/*! axe v1.0.0\n */"


def test_a_registry_out_of_reach_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_offline", "true")
    monkeypatch.setattr(npm.install, "__defaults__", (npm.HERE, tmp_path / "npm"))
    with pytest.raises(SystemExit, match=f"(?s){ADVICE}.*run the command again"):
        npm.main()


def test_an_axe_that_is_not_there_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(
        npm.NoPackageError, match=r"There is no .*: run `.* -m site_checks.npm` first"
    ):
        axe_script(tmp_path)
