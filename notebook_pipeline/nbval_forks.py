"""A plugin of pytest, ``-p notebook_pipeline.nbval_forks``: nbval's kernels are forks."""

import nbval.kernel

from notebook_pipeline.forked_kernels import ServedKernel

nbval.kernel.KernelManager = ServedKernel
