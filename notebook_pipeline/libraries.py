"""The libraries that notebooks import, for a process whose forks run notebooks.

To import them takes three seconds, more than most notebooks compute. A fork has them already. It
cannot show that a notebook imports all that it uses: kernels do, which start anew in `make outputs`
whenever outputs are written, and in `make notebooks-anew` each night.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
import warnings

LIBRARIES = (
    *("torch.ao.quantization", "matplotlib.pyplot"),
    *("torchao.quantization", "torchao.quantization.pt2e.quantizer.x86_inductor_quantizer"),
    *("qlearn.course", "qlearn.course.plots", "qlearn.course.question", "qlearn.course.widgets"),
    # What is imported at first use: by a check of an exercise, and by torch.export
    *("qlearn.course.exercises.chapters", "qlearn.course.exercises.tinyquant"),
    "sympy.tensor.tensor",
    # What each kernel imports when it starts
    *("ipykernel.debugger", "IPython.core.completerlib", "IPython.extensions.storemagic", "psutil"),
)


def import_libraries() -> None:
    """Import them, with the pictures inline, as a kernel has them, and unpack what takes long.

    What torchao logs and warns of when it is imported is for kernels that start anew to show. And a
    fork has no debugger: to import one takes as long as to start.
    """
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    sys.modules.setdefault("debugpy", None)  # type: ignore[arg-type]  # as if not installed
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            for library in LIBRARIES:
                importlib.import_module(library)
        importlib.import_module("qlearn.course.widgets.shared.figure").bundle_all()
        importlib.import_module("qlearn.course.language.text").load_language_text("train")
    finally:
        logging.disable(logging.NOTSET)
