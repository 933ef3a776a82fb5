"""What the chapter on the reduced range says of today's tools: what they narrow, who needs it."""

from __future__ import annotations

import inspect
import os
import platform
import re
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from proofs.torchao_quietly import torchao
from qlearn import saturating_matmul
from qlearn.course.static_graph import static_graph
from tests.book.test_snippets import snippets
from tests.probes import Fork, Probe, said

PAGE = Path(__file__).parents[2] / "book" / "calibration" / "reduce_range.ipynb"


def setting(name: str) -> str:
    """Return what the list says of the tool of this name."""
    cells = nbformat.read(PAGE, as_version=4).cells
    (text,) = [cell.source for cell in cells if "It takes a bit from" in cell.source]
    (line,) = [line for line in text.splitlines() if line[:2] == "- " and name in line]
    return line.rpartition(": ")[2]


def test_torchao_takes_a_bit_from_both_sides_if_asked() -> None:
    assert setting("Int8DynamicActivationInt8WeightConfig") == (
        "off by default. Switched on, it takes a bit from activations and weights."
    )
    layer = torch.nn.Sequential(torch.nn.Linear(64, 64))
    config = torchao.Int8DynamicActivationInt8WeightConfig
    assert config().reduce_range is False
    torchao.quantize_(layer, config(reduce_range=True, set_inductor_config=False))
    weight: Any = layer[0].weight
    assert weight.qdata.min() >= -64 and weight.qdata.max() <= 63
    assert weight.act_quant_kwargs.reduce_range is True


def test_weights_alone_have_no_such_option() -> None:
    assert setting("Int8WeightOnlyConfig").startswith("no option.")
    assert "reduce_range" not in inspect.signature(torchao.Int8WeightOnlyConfig).parameters


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # on import, of torch's own
def test_pt2e_takes_it_from_the_activations_if_asked() -> None:
    assert setting("PT2E") == "off by default. It takes a bit from activations."
    with warnings.catch_warnings(action="ignore"):
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
    for reduce_range, largest in ((False, 255), (True, 127)):
        config = x86.get_default_x86_inductor_quantization_config(reduce_range=reduce_range)
        assert config.input_activation.quant_max == largest
        assert (config.weight.quant_min, config.weight.quant_max) == (-128, 127)
    assert x86.get_default_x86_inductor_quantization_config().input_activation.quant_max == 255


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # on import, of torch's own
def test_the_lines_to_type_set_the_option() -> None:
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)
    ).eval()
    by_torchao, by_pt2e = snippets("calibration/reduce_range")
    names: dict[str, Any] = {"model": torch.nn.Sequential(torch.nn.Linear(64, 64))}
    exec(by_torchao, names)
    weight: Any = names["model"][0].weight
    assert weight.act_quant_kwargs.reduce_range is True
    assert weight.qdata.min() >= -64 and weight.qdata.max() <= 63
    exec(by_pt2e, names)
    graph = static_graph(model, [torch.linspace(-1, 2, 128).reshape(2, 64)], names["quantizer"])
    ends = [n.args[3:5] for n in graph.graph.nodes if n.name.startswith("quantize_per_tensor")]
    assert ends == [(0, 127)] * 2


@pytest.mark.skipif(os.name != "posix", reason="the line is for Linux")
@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ("avx2 avx512f", []),
        ("avx2 avx512_vnni", ["avx512_vnni"]),
        ("avx2 avx_vnni avx_vnni_int8", ["avx_vnni"]),
        ("avx_vnni avx512_vnni", ["avx_vnni", "avx512_vnni"]),
    ],
    ids=["Skylake", "Cascade Lake", "Arrow Lake", "Sapphire Rapids"],
)
def test_the_line_for_linux_finds_vnni(tmp_path: Path, flags: str, found: list[str]) -> None:
    texts = [cell.source for cell in nbformat.read(PAGE, as_version=4).cells]
    (line,) = re.findall(r"^lscpu .*$", "\n".join(texts), re.MULTILINE)
    told = tmp_path / "lscpu"
    told.write_text(f"#!/bin/sh\necho 'Flags: fpu {flags} clflush'\n", "utf-8")
    told.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", line],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == found
    assert done.stderr == ""


def onnx_weights(folder: Path, reduce_range: bool) -> np.ndarray:
    """Return the codes of the weights that ONNX Runtime stores for a dynamic layer."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    weights = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "layer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 8])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    source, target = folder / "float.onnx", folder / "int8.onnx"
    onnx.save(model, source)
    quantize_dynamic(source, target, reduce_range=reduce_range, weight_type=QuantType.QInt8)
    stored = onnx.load(target).graph.initializer
    (codes,) = [numpy_helper.to_array(each) for each in stored if each.name == "w_quantized"]
    return codes


def test_onnx_runtime_takes_it_from_the_weights_if_asked(tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic, quantize_static

    assert setting("ONNX") == "off by default. It takes a bit from weights."
    for function in (quantize_dynamic, quantize_static):
        assert inspect.signature(function).parameters["reduce_range"].default is False
    assert np.abs(onnx_weights(tmp_path, reduce_range=False).astype(int)).max() == 127
    assert np.abs(onnx_weights(tmp_path, reduce_range=True).astype(int)).max() <= 64


def test_weights_of_seven_bits_and_any_activations_never_saturate() -> None:
    """The two ways of the table, at their worst pairs; what is left of all others is smaller."""
    full = torch.tensor([[255, 255]], dtype=torch.uint8)
    for code in (-64, 63, 64):
        weight = torch.full((2, 1), code, dtype=torch.int8)
        assert saturating_matmul(full, weight).item() == 2 * 255 * code


BY_ENGINE = """
from qlearn import kernels_saturate
from qlearn.machine import use_engine
for engine in ("fbgemm", "onednn"):
    use_engine(engine)
    print(engine, kernels_saturate())
"""


def has(*flags: str) -> bool:
    """Tell whether this is Linux on an x86 processor with all of these flags."""
    told = Path("/proc/cpuinfo")
    if platform.machine() != "x86_64" or not told.exists():
        return False
    return set(flags) <= set(told.read_text("utf-8").split())


@pytest.mark.skipif(not has("avx_vnni", "avx512_vnni"), reason="a form of VNNI is missing")
@pytest.mark.parametrize(
    ("isa", "onednn"), [("AVX2", True), ("AVX2_VNNI", False), ("AVX512_CORE_VNNI", False)]
)
def test_onednn_uses_vnni_without_avx_512_and_fbgemm_does_not(
    isa: str, onednn: bool, probe: Probe
) -> None:
    printed = probe(BY_ENGINE, ONEDNN_MAX_CPU_ISA=isa, FBGEMM_ENABLE_INSTRUCTIONS="AVX2")
    assert printed.splitlines() == ["fbgemm True", f"onednn {onednn}"]


COMPILED = """
import torch
import torch._inductor.config as inductor
from proofs.torchao_quietly import torchao
from qlearn.course.older_processor import on_older_processor
inductor.freezing, inductor.fx_graph_cache = True, False
model = torch.nn.Sequential(torch.nn.Linear(64, 32)).requires_grad_(False)
model[0].weight.fill_(0.5)
config = torchao.Int8DynamicActivationInt8WeightConfig(set_inductor_config=False)
torchao.quantize_(model, config)
x = 1 + torch.rand(8, 64)
with torch.no_grad():
    theirs = torch.compile(model)(x)
exact = on_older_processor(model, saturate=False)(x)
print((theirs - on_older_processor(model)(x)).abs().max() < 1e-3, (theirs - exact).min() < -1)
"""


@pytest.mark.skipif(not has("avx2"), reason="the instructions are AVX2's")
@pytest.mark.skipif(not shutil.which("g++"), reason="torch.compile needs a compiler")
def test_a_compiled_layer_saturates_as_the_page_computes_it(fork_with_torchao: Fork) -> None:
    printed = said(fork_with_torchao(COMPILED, ONEDNN_MAX_CPU_ISA="AVX2"))
    assert printed.split()[-2:] == ["tensor(True)", "tensor(True)"]
