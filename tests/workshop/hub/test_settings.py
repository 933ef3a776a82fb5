"""hub.toml: what is refused, because it is wrong or because it would be open."""

from __future__ import annotations

from pathlib import Path

import pytest

from workshop.hub.settings import TEMPLATE, Settings, read

OPEN_TO_ALL = 'address = "0.0.0.0"\nssl_key = "/k"\nssl_cert = "/c"'


def written(folder: Path, text: str) -> Settings:
    (folder / "hub.toml").write_text(text)
    return read(folder)


def test_the_template_says_what_holds_without_it(tmp_path: Path) -> None:
    commented = [
        line[2:] for line in TEMPLATE.splitlines() if line.startswith("# ") and "=" in line
    ]
    without_tls = "\n".join(line for line in commented if not line.startswith("ssl_"))
    assert written(tmp_path, without_tls) == written(tmp_path, TEMPLATE) == Settings(tmp_path)


def test_by_default_this_machine_alone_may_ask() -> None:
    assert Settings().address == "127.0.0.1"


def test_a_network_without_tls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="without TLS: whoever shares the network"):
        written(tmp_path, 'address = "0.0.0.0"')


def test_a_network_with_tls_is_served(tmp_path: Path) -> None:
    found = written(tmp_path, OPEN_TO_ALL + '\npublic_url = "https://192.0.2.7"')
    assert found.bind_url == "https://0.0.0.0:880"
    assert found.local_url == "https://127.0.0.1:880"  # localhost may be ::1, and a student's


def test_the_sheet_has_the_address_that_students_type(tmp_path: Path) -> None:
    found = written(tmp_path, 'public_url = "https://hub.school.example/"')
    assert found.url == "https://hub.school.example"
    assert found.local_url == found.bind_url == "http://127.0.0.1:880"


def test_no_service_listens_where_a_student_may() -> None:
    assert max(Settings().ports) < 1024
    assert len(set(Settings().ports)) == 3


def test_whoever_insists_may_do_without(tmp_path: Path) -> None:
    assert written(tmp_path, 'address = "10.0.0.1"\npasswords_in_the_clear = true').url


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("adress = 1", "sets adress, which is no setting", id="unknown"),
        pytest.param("folder = '/tmp'", "sets folder", id="folder"),
        pytest.param("port = '8000'", "must be of type int", id="kind"),
        pytest.param("forked_kernels = 1", "must be of type bool", id="number for bool"),
        pytest.param("port =", "is not TOML", id="no TOML"),
        pytest.param('ssl_key = "/k"', "belong together", id="half of TLS"),
        pytest.param('address = "localhost"', "may be two addresses", id="localhost"),
        pytest.param('public_url = "hub"', "must begin with https://", id="public_url"),
        pytest.param('prefix = "a:b-"', "one to ten letters, a to z", id="prefix"),
        pytest.param('prefix = ""', "one to ten letters, a to z", id="no prefix"),
        pytest.param('prefix = "QBB-"', "one to ten letters, a to z", id="capitals in the prefix"),
        pytest.param('prefix = "école-"', "one to ten letters, a to z", id="accent in the prefix"),
        pytest.param('prefix = "qbb-\\n"', "one to ten letters, a to z", id="line after prefix"),
        pytest.param(f'prefix = "{"a" * 11}-"', "one to ten letters, a to z", id="long prefix"),
        pytest.param("students = 0", "at least 1", id="nobody"),
        pytest.param("idle_minutes = 0", "at least 1", id="idle"),
        pytest.param("disk_mb = -1", "at least 0", id="size"),
        pytest.param("cores = -1.0", "at least 0", id="cores"),
        pytest.param(
            'address = "0.0.0.0"\nssl_key = "/k"\nssl_cert = "/c"',
            "set public_url",
            id="no address",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        written(tmp_path, text)


def test_a_whole_number_of_cores_is_a_number(tmp_path: Path) -> None:
    assert written(tmp_path, "cores = 2").cores == 2
