"""Run leaves of the decision guide by their programs, and record what came out.

make guide-runs                                   # all, and what they need is installed
python -m measure.guide onnx_static phone_static  # these, where it is
"""

from __future__ import annotations

import argparse
import os
import tempfile
from importlib import import_module

from measure.guide.found import Found
from measure.guide.record import ELSEWHERE, GUIDE_RECORD, load, recorded, with_run
from measure.record import save
from qlearn.course.guide_runs import GuideRun

PROGRAMS = {
    "onnx_static": "onnx_runtime",
    "onnx_dynamic": "onnx_runtime",
    "phone_static": "xnnpack",
    "gptq": "llm_compressor",
    "gguf_8": "llama_cpp",
    "gguf_4": "llama_cpp",
}


def main() -> None:
    """Run the leaves that the command line names, and write each into the record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("leaves", nargs="+", choices=ELSEWHERE, metavar="LEAF")
    for name in parser.parse_args().leaves:
        run = recorded(name, found(name))
        save(with_run(load(), run), GUIDE_RECORD)
        print(GuideRun(**run), flush=True)
    print("Now run: make outputs NOTEBOOKS=book/start/which_one.ipynb")


def found(name: str) -> Found:
    """Return what a leaf's program makes of its model, in an empty folder."""
    program = import_module(f"measure.guide.{PROGRAMS[name]}")
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            result: Found = program.run(name)
        finally:
            os.chdir(before)
    return result


if __name__ == "__main__":
    main()
