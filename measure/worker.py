"""One process: one network, one way to run models, and the float model beside them.

Options of the compiler, thread pools and libraries' global settings stay in the process, so each
way has a process of its own. Prints a JSON line for each row.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from measure import executorch_methods, onnx_methods, torch_methods
from measure.methods import Method, Ready, said
from measure.rounds import take_turns
from measure.subjects import SUBJECTS, Subject
from qlearn import sqnr

METHODS = (*torch_methods.METHODS, *onnx_methods.METHODS, *executorch_methods.METHODS)
BASELINE = "the float model, eager"


def methods_for(subject: Subject, how: str) -> list[Method]:
    """Return the methods that are run this way and fit the network."""
    return [method for method in METHODS if method.how == how and method.fits(subject)]


def made_ready(method: Method, model: torch.nn.Module, x: Tensor) -> tuple[Ready, Tensor, float]:
    """Return a method ready to be timed, its output, and the seconds from the float model to it."""
    start = time.perf_counter()
    ready = method.build(model, x)
    result = ready.call()
    result = result.float().cpu()
    return ready, result, time.perf_counter() - start


def measure(subject: Subject, rows: int, how: str, device: str) -> list[dict[str, Any]]:
    """Return a row for each method, with its times or its error."""
    model, x = subject.made().to(device), subject.inputs(rows).to(device)
    exact = model(x).cpu()
    calls: dict[str, Callable[[], object]] = {BASELINE: lambda: model(x)}
    found: list[dict[str, Any]] = []
    for method in methods_for(subject, how):
        row = {"subject": subject.name, "batch": rows, "method": method.name, "how": how}
        found.append(row)
        try:
            ready, result, ready_s = made_ready(method, model, x)
        except Exception as error:  # whatever a library says against this machine is the result
            row["error"] = said(error)
            continue
        decibels = min(sqnr(exact, result), 150.0)  # float32's own rounding is about there
        row |= {"bytes": ready.bytes, "sqnr": round(decibels, 1), "ready_s": round(ready_s, 1)}
        calls[method.name] = ready.call
    timings = take_turns(calls, BASELINE, device=device)
    return [row | asdict(timings[row["method"]]) if "error" not in row else row for row in found]


def main() -> None:
    """Measure what the command line names: network, way, device."""
    name, how, device = sys.argv[1:]
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    subject = SUBJECTS[name]
    with torch.no_grad():
        for rows in subject.batches:
            for row in measure(subject, rows, how, device):
                print("ROW", json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
