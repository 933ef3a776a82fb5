"""A script: start a Jupyter kernel as Jupyter's server does, and let it compute 6 · 7."""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path


def connection_file() -> str:
    """Return where server and kernel agree on their sockets: in the folder that both see.

    jupyter_client alone would lay the file where temporary files go. On a hub each kernel has
    such a folder of its own, so it would not find the file.
    """
    from jupyter_core.paths import jupyter_runtime_dir
    from jupyter_core.utils import ensure_dir_exists

    folder = jupyter_runtime_dir()
    ensure_dir_exists(folder, mode=0o700)
    return str(Path(folder, f"kernel-{uuid.uuid4()}.json"))


def main() -> None:
    """Print {"answer": "42"} if the kernel does what it should."""
    from jupyter_client.manager import KernelManager

    said: list[str] = []

    def listen(message: dict) -> None:
        if message["msg_type"] == "stream":
            said.append(message["content"]["text"])

    manager = KernelManager(kernel_name="python3", connection_file=connection_file())
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        client.execute_interactive("print(6 * 7)", timeout=30, output_hook=listen)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(json.dumps({"answer": "".join(said).strip()}))


if __name__ == "__main__":
    sys.path[:] = json.loads(sys.argv[1])
    main()
