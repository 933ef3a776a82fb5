"""Each class of processors runs the notebooks once."""

import pytest

from machines.classes import targets

X86 = {"architecture": "x86_64"}
ALL = ["notebooks-oldest", "notebooks-avx2", "notebooks"]


@pytest.mark.parametrize(
    ("able", "system", "expected"),
    [
        (X86 | {"avx2": True, "avx512_f": True}, "Linux", ALL),
        (X86 | {"avx2": True, "avx_vnni": True}, "Linux", ALL),
        (
            X86 | {"avx2": True, "avx512_f": False},
            "Linux",
            ["notebooks-oldest", "notebooks-anew"],
        ),
        (X86 | {"avx2": False}, "Linux", ["notebooks"]),
        (X86 | {"avx2": True}, "Darwin", ["notebooks"]),
        ({"architecture": "aarch64"}, "Linux", ["notebooks"]),
    ],
    ids=["AVX-512", "AVX2 with VNNI", "AVX2", "before AVX2", "a Mac", "ARM"],
)
def test_a_notebook_runs_once_for_each_class(able, system, expected):
    assert targets(able, system) == expected
