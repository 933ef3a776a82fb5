"""Kernels that are forks: they have the libraries, and answer as others do."""

from __future__ import annotations

import nbval.kernel

from notebook_pipeline.forked_kernels import ServedKernel


def test_nbval_looks_up_what_the_plugin_replaces() -> None:
    assert nbval.kernel.start_new_kernel.__globals__ is vars(nbval.kernel)
    assert "KernelManager" in nbval.kernel.start_new_kernel.__code__.co_names


def test_a_served_kernel_has_the_libraries_and_computes() -> None:
    kernel = ServedKernel(kernel_name="python3")
    kernel.start_kernel()
    client = kernel.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        said: list[str] = []
        client.execute_interactive(
            "import os, sys; print('torchao' in sys.modules, os.getppid())",
            output_hook=lambda m: said.append(m["content"].get("text", "")),
            timeout=60,
        )
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert "".join(said).startswith("True")
