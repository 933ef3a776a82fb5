"""The page of symptoms on messages of programs that the course does not install for its tests.

transformers and bitsandbytes are there after `make prove` has installed what it needs, ExecuTorch
and onnxscript after `make measure` has. Elsewhere these tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.book.provoked import ROOT
from tests.book.symptoms_page import ENTRIES, HEADINGS
from tests.book.test_symptoms import OF_OTHERS, plain

START = """
import torch
from torch import nn
X = torch.zeros(2, 16)
def graph(quantizer, step="prepare_pt2e"):
    from torchao.quantization.pt2e import quantize_pt2e
    program = torch.export.export(nn.Sequential(nn.Linear(16, 16)), (X,)).module()
    prepared = getattr(quantize_pt2e, step)(program, quantizer)
    prepared(X)
    return prepared
def for_x86(**options):
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
    config = x86.get_default_x86_inductor_quantization_config(**options)
    return x86.X86InductorQuantizer().set_global(config)
def converted(quantizer):
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e
    return convert_pt2e(graph(quantizer))
"""
EXECUTORCH = (
    START
    + """
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack
from executorch.exir import to_edge, to_edge_transform_and_lower
def for_xnnpack(**options):
    config = xnnpack.get_symmetric_quantization_config(**options)
    return xnnpack.XNNPACKQuantizer().set_global(config)
def lower(quantizer):
    program = torch.export.export(converted(quantizer), (X,))
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
def whole(quantizer):
    return to_edge(torch.export.export(converted(quantizer), (X,)))
def left(lowered):
    nodes = lowered.exported_program().graph.nodes
    return [n.name for n in nodes if "quantize" in str(n.target)]
"""
)
ONNX = START + "def export(m): torch.onnx.export(m, (X,), PATH, dynamo=True, verbose=False)\n"
TRANSFORMERS = """
import torch
from transformers import BitsAndBytesConfig, LlamaConfig, LlamaForCausalLM, TorchAoConfig
LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=1,
    num_attention_heads=4,
)).save_pretrained(PATH)
def load(**options): return LlamaForCausalLM.from_pretrained(PATH, **options)
def four_bits(): return load(quantization_config=BitsAndBytesConfig(load_in_4bit=True))
"""
DYNAMIC = "Int8DynamicActivationInt8WeightConfig"
SAID = [
    ("executorch", "out-variants", "whole(for_xnnpack()).to_executorch()"),
    ("executorch", "out-variants", "lower(for_x86()).to_executorch()"),
    ("executorch", "out-variants", "lower(for_xnnpack(is_dynamic=True)).to_executorch()"),
    (
        "onnxscript",
        "onnx-function",
        f"from torchao.quantization import quantize_, {DYNAMIC} as Config\n"
        "model = nn.Sequential(nn.Linear(16, 16)); quantize_(model, Config()); export(model)",
    ),
    ("bitsandbytes", "bitsandbytes", "four_bits().to(torch.bfloat16)"),
    (
        "bitsandbytes",
        "purely",
        "from transformers import Trainer, TrainingArguments\n"
        "Trainer(four_bits(), TrainingArguments(PATH, use_cpu=True, report_to=[]))",
    ),
    ("bitsandbytes", "load-in", "load(load_in_4bit=True)"),
    (
        "bitsandbytes",
        "linear4bit",
        "import bitsandbytes, sys\n"
        "layer = bitsandbytes.nn.Linear4bit(64, 64).to('cpu')\n"
        "layer(torch.ones(1, 64).half()); sys.exit(1)",
    ),
]
ALSO_SAID = [
    (
        "onnxscript",
        "onnx-function",
        "export(graph(for_x86(is_qat=True), 'prepare_qat_pt2e'))",
        "aten._fused_moving_avg_obs_fq_helper_functional",
    ),
    ("bitsandbytes", "bitsandbytes", "four_bits().half()", "is not supported for quantized model"),
    (
        "bitsandbytes",
        "load-in",
        "load(quantization_config=TorchAoConfig('int8_weight_only'))",
        "String-based quantization type 'int8_weight_only' is no longer supported",
    ),
]
RUNS = [
    ("executorch", "assert not left(lower(for_xnnpack())); lower(for_xnnpack()).to_executorch()"),
    (
        "executorch",
        "lower(for_xnnpack(is_per_channel=True, is_dynamic=True)).to_executorch()\n"
        "assert left(lower(for_x86()))",
    ),
    (
        "executorch",
        "import executorch.kernels.quantized; whole(for_xnnpack()).to_executorch()",
    ),
    (
        "executorch",
        "from qlearn import sqnr\n"
        "from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e\n"
        "x = torch.linspace(-2, 2, 160).reshape(10, 16)\n"
        "mask = torch.tensor([0.0] * 12 + [-1e9] * 4)\n"
        "class Masked(nn.Linear):\n"
        "    def forward(self, x): return (super().forward(x) + mask).softmax(-1)\n"
        "torch.manual_seed(0); model = Masked(16, 16).eval()\n"
        "def decibels(quantizer):\n"
        "    program = torch.export.export(model, (x,)).module()\n"
        "    prepared = prepare_pt2e(program, quantizer); prepared(x)\n"
        "    return sqnr(model(x), convert_pt2e(prepared)(x))\n"
        "kept = lambda n: n.target not in (torch.ops.aten.add.Tensor, torch.ops.aten.mul.Tensor)\n"
        "assert decibels(for_xnnpack()) < 20\n"
        "assert decibels(for_xnnpack().set_filter_function(kept)) > 30",
    ),
    ("onnxscript", "export(converted(for_x86()))"),
    (
        "bitsandbytes",
        "from torchao.quantization import Int8WeightOnlyConfig as Config, Int8Tensor\n"
        "model = load(quantization_config=TorchAoConfig(Config()))\n"
        "assert isinstance(model.model.layers[0].mlp.up_proj.weight, Int8Tensor)",
    ),
]
BEGINNINGS = {"executorch": EXECUTORCH, "onnxscript": ONNX, "bitsandbytes": TRANSFORMERS}
# transformers comes with bitsandbytes where the course installs it.


def ran(package: str, lines: str, folder: Path) -> subprocess.CompletedProcess[str]:
    if not find_spec(package) and package not in os.environ.get("MUST_HAVE", "").split():
        pytest.skip(f"{package} is not installed: make prove and make measure bring such packages")
    program = f"PATH = {str(folder / 'stored')!r}\n{BEGINNINGS[package]}\n{lines}"
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_each_message_of_another_program_is_provoked() -> None:
    assert {name for _, name, _ in SAID} == OF_OTHERS


@pytest.mark.parametrize(("package", "name", "lines"), SAID)
def test_a_message_of_another_program_is_what_it_says(
    package: str, name: str, lines: str, tmp_path: Path
) -> None:
    ended = ran(package, lines, tmp_path)
    assert ended.returncode == 1
    assert plain(HEADINGS[name]) in plain(ended.stderr)


@pytest.mark.parametrize(("package", "name", "lines", "message"), ALSO_SAID)
def test_another_message_of_an_entry_is_what_it_says(
    package: str, name: str, lines: str, message: str, tmp_path: Path
) -> None:
    ended = ran(package, lines, tmp_path)
    assert ended.returncode == 1
    assert message in plain(ended.stderr)
    assert message in plain(ENTRIES[name])


@pytest.mark.parametrize(("package", "lines"), RUNS)
def test_a_repair_runs(package: str, lines: str, tmp_path: Path) -> None:
    ended = ran(package, lines, tmp_path)
    assert ended.returncode == 0, ended.stderr
