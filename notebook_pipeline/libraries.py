"""The libraries that notebooks import, for a process whose forks run notebooks.

To import them takes three seconds, more than most notebooks compute. A fork has them already. It
cannot show that a notebook imports all that it uses: kernels do, which start anew in
`make notebooks`.
"""

from __future__ import annotations

import importlib
import os

# Not torchao, which logs when it is imported: the notebooks show that, or prevent it.
LIBRARIES = (
    *("torch.ao.quantization", "matplotlib.pyplot"),
    *("qlearn.course", "qlearn.course.plots", "qlearn.course.widgets"),
)


def import_libraries() -> None:
    """Import them, with the pictures inline, as a kernel has them."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for library in LIBRARIES:
        importlib.import_module(library)
