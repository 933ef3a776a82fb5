"""A script: start a Jupyter kernel as the notebooks do, and let it compute 6 · 7."""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Print {"answer": "42"} if the kernel does what it should."""
    from jupyter_client.manager import start_new_kernel

    said: list[str] = []

    def listen(message: dict) -> None:
        if message["msg_type"] == "stream":
            said.append(message["content"]["text"])

    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=60)
    try:
        client.execute_interactive("print(6 * 7)", timeout=30, output_hook=listen)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(json.dumps({"answer": "".join(said).strip()}))


if __name__ == "__main__":
    sys.path[:] = json.loads(sys.argv[1])
    main()
