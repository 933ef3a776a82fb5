"""Kernels with sockets of their own: no two share an address, and nothing is left behind."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from notebook_pipeline.forked_kernels import ForkedKernels, ServedKernel
from notebook_pipeline.own_sockets import Kernels
from notebook_pipeline.write_outputs import execute
from workshop.plans.time_cells import Watched

ALL = [Kernels, ForkedKernels, ServedKernel, Watched]


@pytest.mark.parametrize("kind", ALL)
def test_no_two_have_an_address_in_common_and_none_has_a_port(kind: type[KernelManager]) -> None:
    first, second = kind(), kind()
    assert (first.transport, second.transport) == ("ipc", "ipc")
    assert first.ip != second.ip
    # The longest path that a socket may have on a Mac, where temporary folders are deep.
    assert len(f"{first.ip}-5") < 104
    folder = Path(first.ip).parent
    assert os.listdir(folder) == []
    Watched.started.clear()
    second.cleanup_ipc_files()
    assert not Path(second.ip).parent.exists()
    del first
    gc.collect()
    assert not folder.exists()


def test_what_is_executed_gets_such_a_kernel_unless_it_is_told_otherwise() -> None:
    assert execute.__defaults__ == (Kernels,)


def test_a_kernel_computes_again_after_it_was_restarted() -> None:
    kernel = ServedKernel(kernel_name="python3")
    kernel.start_kernel()
    kernel.restart_kernel(now=True)
    client = kernel.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        assert client.execute_interactive("1 + 1", timeout=60)["content"]["status"] == "ok"
        assert len(os.listdir(kernel.sockets)) == 5
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert not Path(kernel.sockets).exists()
