"""Measure this machine and add its column to the record.

python -m measure                          # everything: about ten minutes on a quiet machine; where
                                           # there is a graphics card, that too, in its own column
python -m measure --device cuda            # the graphics card alone
python -m measure --only token --how eager # a part, printed; the record stays
python -m measure --runs                   # only the recorded runs that the page shows
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch

from measure.machine import described, rates, token_sweep
from measure.record import RECORD, load, save, with_column
from measure.runs import record_runs
from measure.subjects import SUBJECTS

HOWS = ("eager", "compiled", "compiled, frozen", "ONNX Runtime", "ExecuTorch")
ON_GRAPHICS_CARD = ("eager", "compiled")
LONGEST = 400  # seconds for one process
# One thread. And malloc keeps large blocks: else the system clears them again for each call, in
# some processes and not in others.
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
}


def main() -> None:
    """Measure what the command line says, and keep it if it was everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), help="the default is all there are")
    parser.add_argument("--only", nargs="+", choices=list(SUBJECTS), metavar="NETWORK")
    parser.add_argument("--how", nargs="+", choices=HOWS, metavar="WAY")
    parser.add_argument("--runs", action="store_true")
    arguments = parser.parse_args()
    if arguments.runs:
        save(load() | {"runs": record_runs(here("cpu"))})
        return
    for device in [arguments.device] if arguments.device else devices():
        column = measured_column(device, arguments.only, arguments.how)
        if arguments.only or arguments.how:
            continue
        record = with_column(load(), column)
        runs = record_runs(column) if device == "cpu" else record["runs"]
        save(record | {"runs": runs})
        print(f"{RECORD.name} has this machine's column. Now run: make outputs "
              "NOTEBOOKS=book/running/running.ipynb")  # fmt: skip


def devices() -> list[str]:
    """Return what can be measured here: the processor, and the graphics card if there is one."""
    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def measured_column(device: str, only: list[str] | None, how: list[str] | None) -> dict[str, Any]:
    """Return a device's column, with all networks and ways or with those that are named."""
    start = time.perf_counter()
    column = here(device)
    ways = HOWS if device == "cpu" else ON_GRAPHICS_CARD
    chosen = tuple(way for way in ways if way in how) if how else ways
    column["rows"] = measured(only or list(SUBJECTS), chosen, device)
    column["minutes"] = round((time.perf_counter() - start) / 60, 1)
    return column


def here(device: str) -> dict[str, Any]:
    """Return the head of this machine's column: what it is, the day, the command, its rates."""
    torch.set_num_threads(1)
    head = described(device)
    head["date"] = datetime.date.today().isoformat()
    head["command"] = "make measure"
    with torch.no_grad():
        head["rates"] = rates(device)
        head["tokens"] = token_sweep() if device == "cpu" else {}
    return head


def measured(names: list[str], hows: tuple[str, ...], device: str) -> list[dict[str, Any]]:
    """Return the rows of all networks and ways, one process for each pair."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for how in hows:
            for name in names:
                rows += in_process(name, how, device, cache)
    return rows


def in_process(name: str, how: str, device: str, cache: str) -> list[dict[str, Any]]:
    """Return the rows of one network run one way; a process that dies leaves its message."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "measure.worker", name, how, device]
    environment = os.environ | SETTINGS | {"TORCHINDUCTOR_CACHE_DIR": cache}
    try:
        done = subprocess.run(
            command, env=environment, text=True, timeout=LONGEST, preexec_fn=on_one_core(),
            capture_output=True, check=False,
        )  # fmt: skip
        said, code = done.stdout, done.returncode
        problem = f"the process ended with code {code}: {done.stderr[-200:]}" if code else ""
    except subprocess.TimeoutExpired as error:
        said, problem = str(error.stdout or ""), f"the process took more than {LONGEST} s"
    rows = [json.loads(line[4:]) for line in said.splitlines() if line.startswith("ROW ")]
    if problem:
        missing = {"subject": name, "batch": SUBJECTS[name].batches[0], "how": how}
        rows.append(missing | {"method": "all", "error": problem})
    for row in rows:
        result = row.get("error") or f"{row['ms']:10.3f} ms, speed {row['speed']:.2f}"
        print(f"{name:7}{row['batch']:4} {how:17}{row['method']:25}{result}", flush=True)
    print(f"  {time.perf_counter() - start:.0f} s", flush=True)
    return rows


def on_one_core() -> Callable[[], None] | None:
    """Return what keeps a new process on one core, where the system can: some runtimes use all."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    return lambda: os.sched_setaffinity(0, {core})


if __name__ == "__main__":
    main()
