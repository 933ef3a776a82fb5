"""What the tests of the language model share: a model that nobody has trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # as in tests/conftest.py, which says why
    from qlearn.course.language.net import LanguageModel


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    """Return a model with the same weights each time, in an object of the module's own."""
    import torch

    from qlearn.course.language.net import LanguageModel

    with torch.random.fork_rng():
        torch.manual_seed(0)
        return LanguageModel().eval()
