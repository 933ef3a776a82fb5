"""A plugin of pytest, ``-p notebook_pipeline.nbval_forks``: nbval's kernels are forks.

And it compares no picture of a widget: these are drawn when outputs are written, by no kernel.
"""

import nbval.kernel
import pytest
from nbval.plugin import IPyNbCell

from notebook_pipeline.canonical_widgets import STILL_PICTURE
from notebook_pipeline.forked_kernels import ServedKernel

if "KernelManager" not in vars(nbval.kernel):
    raise RuntimeError(
        "nbval starts its kernels by another name than nbval.kernel.KernelManager: name it here"
    )
nbval.kernel.KernelManager = ServedKernel


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each notebook leave out what only the writer of outputs draws."""
    for item in items:
        if isinstance(item, IPyNbCell) and STILL_PICTURE not in item.parent.skip_compare:
            item.parent.skip_compare += (STILL_PICTURE,)
