"""Run the pages whose cells the plans let people run, and store how long each section took.

    python -m workshop.plans.time_cells        (make cell-times)

What counts is the time of the processor, so that other work on the machine does no harm. It is
that of the kernel and of the programs that it starts, on one thread.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import nbformat
import psutil
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from measure.machine import processor
from notebook_pipeline.own_sockets import Kernels
from notebook_pipeline.write_outputs import execute
from site_builder.sections import file_of, places
from workshop.plans.cell_times import RECORD
from workshop.plans.plan import Plan, Way
from workshop.plans.three_plans import PLANS


def pages_to_run(plans: tuple[Plan, ...]) -> list[str]:
    """Return the pages with a step in which cells are run."""
    steps = (step for plan in plans for block in plan.blocks() for step in block.steps)
    return sorted({step.page for step in steps if step.way is Way.RUN})


async def seconds_of(path: Path) -> dict[str, float]:
    """Run a notebook, and return the seconds of each section that has cells."""
    notebook = nbformat.read(path, as_version=4)
    innermost = [slugs[-1] for slugs in places(notebook)]
    used, seconds = 0.0, dict.fromkeys(innermost, 0.0)

    def end(cell: Any, cell_index: int, execute_reply: Any) -> None:
        nonlocal used
        before, used = used, computed_by(Watched.started[-1])
        seconds[innermost[cell_index]] += used - before

    await execute(notebook, path, kernel_manager_class=Watched, on_cell_executed=end)
    return {slug: round(took, 1) for slug, took in seconds.items()}


class Watched(Kernels):
    """A kernel's manager that can be found once its kernel has started."""

    started: ClassVar[list[Kernels]] = []

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.started.append(self)


def computed_by(kernel: Kernels) -> float:
    """Return the seconds that a kernel and what it started have computed since their start."""
    provisioner = kernel.provisioner
    assert isinstance(provisioner, LocalProvisioner) and provisioner.pid, "the kernel runs here"
    times = psutil.Process(provisioner.pid).cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def main() -> int:
    """Run the pages one after the other, and write the record."""
    pages = {}
    for page in pages_to_run(PLANS):
        pages[page] = asyncio.run(seconds_of(file_of(page)))
        print(f"{sum(pages[page].values()):6.1f} s  {page}", flush=True)
    written = {
        "machine": processor(),
        "cores": os.cpu_count(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": "make cell-times",
        "pages": pages,
    }
    RECORD.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
