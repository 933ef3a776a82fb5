"""Kernels that are spoken to through sockets of their own, and not through ports of the machine.

jupyter_client looks for free ports, and the kernel takes them some time later. Meanwhile another
program may have taken one, and then the kernel dies: it happens where many start at once.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from typing import Any

from jupyter_client.manager import AsyncKernelManager, KernelManager


class OwnSockets(KernelManager):
    """Starts a kernel that has Unix sockets, in a folder that goes with it."""

    def __init__(self, **options: Any) -> None:
        self.sockets = tempfile.mkdtemp(prefix="kernel-")
        super().__init__(transport="ipc", ip=f"{self.sockets}/socket", **options)
        weakref.finalize(self, shutil.rmtree, self.sockets, ignore_errors=True)

    def write_connection_file(self, **options: Any) -> None:
        """Have the folder, also when the kernel is started again."""
        os.makedirs(self.sockets, mode=0o700, exist_ok=True)
        super().write_connection_file(**options)

    def cleanup_ipc_files(self) -> None:
        """Take the folder away, too: a process that ends by ``os._exit`` calls no finalizer."""
        super().cleanup_ipc_files()
        shutil.rmtree(self.sockets, ignore_errors=True)


class Kernels(OwnSockets, AsyncKernelManager):
    """Starts a kernel anew, as Jupyter does."""
