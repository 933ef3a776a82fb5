"""The leaves of llama.cpp: its own programs convert, quantize and run the language model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor

from measure.guide import llama
from measure.guide.byte_tokens import for_llama_cpp
from measure.guide.found import LANGUAGE, Found, sizes
from qlearn import sqnr
from qlearn.course.decisions import LEAVES
from qlearn.course.language.net import CONTEXT

SOURCE = "LLAMA_CPP"  # names the folder of the package's source, in which llama.cpp was built
OF_THE_WHOLE = re.compile(r"quant size .*|WARNING: .*")
WHOLE = "python convert_hf_to_gguf.py FOLDER --outfile whole.gguf --outtype f32"


def run(name: str) -> Found:
    """Run the leaf's commands as they stand in the guide, and what they wrote."""
    llama.as_transformers().save_pretrained("FOLDER")
    for_llama_cpp(Path("FOLDER"))
    for part in ("convert_hf_to_gguf.py", "gguf-py"):  # the program, and its package for files
        Path(part).symlink_to(source() / "vendor" / "llama.cpp" / part)
    shell(WHOLE)
    said = shell(LEAVES[name].config)
    (small,) = Path().glob("model-*.gguf")
    noise = sqnr(llama.exact(), logits(small))
    files = sizes(str(small), "whole.gguf")
    return Found(LANGUAGE, *files, noise, version(), summary(said))


def source() -> Path:
    """Return the folder in which llama.cpp was built.

    Raises:
        RuntimeError: the environment does not name one.
    """
    folder = Path(os.environ.get(SOURCE, ""))
    if not (folder / "build" / "bin").is_dir():
        raise RuntimeError(
            f"{SOURCE} names no folder in which llama.cpp was built: run make guide-runs"
        )
    return folder


def shell(commands: str) -> str:
    """Run commands in the present folder, with llama.cpp's programs; return all that they said."""
    places = [str(source() / "build" / "bin"), str(Path(sys.executable).parent)]
    path = os.pathsep.join([*places, os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-ec", commands], env=os.environ | {"PATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{commands.strip()} ended with {done.returncode}: {done.stdout[-800:]}")
    return done.stdout


def version() -> str:
    """Return the version of the package whose source holds llama.cpp."""
    (found,) = re.findall(r"^Version: (\S+)$", (source() / "PKG-INFO").read_text("utf-8"), re.M)
    return f"of llama-cpp-python {found}"


def summary(said: str) -> str:
    r"""Return what llama-quantize says of the whole: bits for each weight, and its warnings.

    >>> print(summary("f: quant size  =     0.76 MiB (5.71 BPW)\nf: WARNING: 3 of 8 tensor(s)"))
    quant size = 0.76 MiB (5.71 BPW)
    WARNING: 3 of 8 tensor(s)
    """
    return "\n".join(" ".join(line.split()) for line in OF_THE_WHOLE.findall(said))


def logits(path: Path) -> Float32[Tensor, "windows time logits"]:
    """Return what llama.cpp computes with a file."""
    model = opened(path)
    rows = []
    for window in llama.inputs().tolist():
        model.reset()
        model.eval(window)
        rows.append(torch.from_numpy(model.scores[: len(window)].copy()))
    return torch.stack(rows)


def opened(path: Path) -> Any:
    """Return a file that llama.cpp has loaded, by its package for Python."""
    os.environ["LLAMA_CPP_LIB_PATH"] = str(source() / "build" / "bin")
    sys.path.insert(0, str(source()))
    from llama_cpp import Llama

    return Llama(str(path), n_ctx=CONTEXT, logits_all=True, n_threads=1, verbose=False)
