"""The arrays that come with the package."""

from pathlib import Path

import numpy as np
import pytest
import torch

import qlearn
from qlearn.course.digits.shipped import shipped_tensors

DATA = Path(qlearn.__file__).parent / "course" / "digits" / "data"
FILES = sorted(path.stem for path in DATA.glob("*.npz"))


@pytest.mark.parametrize("name", FILES)
def test_the_tensors_are_the_files_arrays(name):
    with np.load(DATA / f"{name}.npz") as stored:
        assert sorted(shipped_tensors(name)) == sorted(stored.files)
        for key, tensor in shipped_tensors(name).items():
            assert np.array_equal(tensor.numpy(), stored[key])


def test_who_writes_into_them_changes_nobody_elses():
    mine = shipped_tensors("digits_net")["fc.weight"]
    before = mine.clone()
    mine.zero_()
    assert torch.equal(shipped_tensors("digits_net")["fc.weight"], before)


def test_the_readme_says_of_each_file_what_it_is():
    text = (DATA / "README.md").read_text(encoding="utf-8")
    assert len(FILES) >= 4
    assert [name for name in FILES if f"`{name}.npz`" not in text] == []
