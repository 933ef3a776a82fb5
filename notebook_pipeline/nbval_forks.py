"""A plugin of pytest, ``-p notebook_pipeline.nbval_forks``: nbval's kernels are forks."""

import nbval.kernel

from notebook_pipeline.forked_kernels import ServedKernel

if "KernelManager" not in vars(nbval.kernel):
    raise RuntimeError(
        "nbval starts its kernels by another name than nbval.kernel.KernelManager: name it here"
    )
nbval.kernel.KernelManager = ServedKernel
