"""The entry points that are tried: the old stack's, with what replaces each, and today's.

Each is a few lines of code, run in a process of its own. It needs torch, and torchao where it
says so, and nothing else; ``layer``, ``net`` and ``x`` are defined for it.
"""

from __future__ import annotations

from dataclasses import dataclass

# What every piece of code finds defined. No quantization is imported here.
SETTING = """
import copy
import io
import torch
from torch import nn
layer = nn.Sequential(nn.Linear(32, 16)).eval()
net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
x = torch.linspace(-1, 1, 64).reshape(2, 32)
image = torch.linspace(-1, 1, 2 * 2 * 5 * 5).reshape(2, 2, 5, 5)
"""

STUBS = """
from torch.ao.quantization import DeQuantStub, QuantStub
net = nn.Sequential(QuantStub(), *net, DeQuantStub()).eval()
"""

PACKED = """
weight = torch._make_per_tensor_quantized_tensor(torch.ones(8, 32, dtype=torch.int8), 0.1, 0)
packed = torch.ops.quantized.linear_prepack(weight, None)
"""

EXPORTED = """
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
quantizer = x86.X86InductorQuantizer()
"""

SCALED = """
whole = torch.ones(16, 32).to(torch.float8_e4m3fn)
one = torch.ones(())
torch._scaled_mm(whole, whole.T, one, one, out_dtype=torch.float32)
"""

# A method that watches inputs first: quantize_ is called twice.
WATCHED = """
from torchao.quantization import *
from torchao.quantization import quantize_
quantize_(layer, {method}({prepare}))
layer(x)
quantize_(layer, {method}({convert}))
layer(x)
"""


@dataclass(frozen=True)
class Entry:
    """One entry point: how the page calls it, what replaces it, and code that uses it."""

    name: str
    code: str
    replaced_by: str = ""
    needs_torchao: bool = False


OLD = (
    Entry("torch.ao.quantization", "import torch.ao.quantization", "torchao.quantization"),
    Entry(
        "torch.quantization, the older name of the same",
        "from torch.quantization import quantize_dynamic",
        "torchao.quantization",
    ),
    Entry(
        "from torch.ao.quantization import *",
        "from torch.ao.quantization import *",
        "imports by name",
    ),
    Entry(
        "torch.quantize_per_tensor",
        "torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)",
        "quantize_affine",
    ),
    Entry(
        "torch.quantize_per_channel",
        "torch.quantize_per_channel(x, torch.ones(2), torch.zeros(2), 0, torch.qint8)",
        "quantize_affine",
    ),
    Entry(
        "torch.quantize_per_tensor_dynamic",
        "torch.quantize_per_tensor_dynamic(x, torch.quint8, True)",
        "choose_qparams_affine, quantize_affine",
    ),
    Entry(
        "torch._make_per_tensor_quantized_tensor",
        "torch._make_per_tensor_quantized_tensor(torch.ones(3, dtype=torch.int8), 0.1, 0)",
        "integers beside scale and zero point",
    ),
    Entry(
        "torch._empty_affine_quantized",
        "torch._empty_affine_quantized([3], scale=0.1, zero_point=0, dtype=torch.qint8)",
        "torch.empty of an integer dtype",
    ),
    Entry(
        "saving and loading a quantized tensor",
        "file = io.BytesIO()\n"
        "torch.save(torch.quantize_per_tensor(x, 0.1, 10, torch.quint8), file)\n"
        "file.seek(0)\n"
        "torch.load(file)",
        "the state of a torchao model",
    ),
    Entry(
        "torch.fake_quantize_per_tensor_affine",
        "torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)",
        "itself; IntxFakeQuantizer",
    ),
    Entry(
        "MinMaxObserver, HistogramObserver",
        "from torch.ao.quantization import HistogramObserver, MinMaxObserver\n"
        "for observer in (MinMaxObserver(), HistogramObserver()):\n"
        "    observer(x)\n"
        "    observer.calculate_qparams()",
        "the same in torchao.quantization.pt2e",
    ),
    Entry(
        "an observer with reduce_range",
        "from torch.ao.quantization import MinMaxObserver\nMinMaxObserver(reduce_range=True)",
        "quant_min and quant_max",
    ),
    Entry(
        "get_default_qconfig, get_default_qconfig_mapping",
        "from torch.ao.quantization import get_default_qconfig, get_default_qconfig_mapping\n"
        "get_default_qconfig('x86')\n"
        "get_default_qconfig_mapping('x86')",
        "get_default_x86_inductor_quantization_config",
    ),
    Entry(
        "quantize_dynamic of linear layers",
        "from torch.ao.quantization import quantize_dynamic\n"
        "quantize_dynamic(layer, {nn.Linear}, torch.qint8)(x)",
        "quantize_ with Int8DynamicActivationInt8WeightConfig",
    ),
    Entry(
        "quantize_dynamic of an LSTM",
        "from torch.ao.quantization import quantize_dynamic\n"
        "quantize_dynamic(nn.Sequential(nn.LSTM(32, 4)), {nn.LSTM}, torch.qint8)(x[None])",
        "an LSTM of linear layers, and quantize_",
    ),
    Entry(
        "fuse_modules",
        "from torch.ao.quantization import fuse_modules\nfuse_modules(net, [['0', '1', '2']])",
        "done by prepare_pt2e",
    ),
    Entry(
        "prepare and convert",
        STUBS + "from torch.ao.quantization import convert, get_default_qconfig, prepare\n"
        "net.qconfig = get_default_qconfig('x86')\n"
        "from torch.ao.quantization import fuse_modules\n"
        "prepared = prepare(fuse_modules(net, [['1', '2', '3']]))\n"
        "prepared(image)\n"
        "convert(prepared)(image)",
        "prepare_pt2e and convert_pt2e",
    ),
    Entry(
        "prepare_qat",
        STUBS + "from torch.ao.quantization import fuse_modules_qat, get_default_qat_qconfig\n"
        "from torch.ao.quantization import prepare_qat\n"
        "net.train().qconfig = get_default_qat_qconfig('x86')\n"
        "prepare_qat(fuse_modules_qat(net, [['1', '2', '3']]))(image)",
        "prepare_qat_pt2e; quantize_ with QATConfig",
    ),
    Entry(
        "prepare_fx and convert_fx",
        "from torch.ao.quantization import get_default_qconfig_mapping, quantize_fx\n"
        "prepared = quantize_fx.prepare_fx(net, get_default_qconfig_mapping('x86'), (image,))\n"
        "prepared(image)\n"
        "quantize_fx.convert_fx(prepared)(image)",
        "prepare_pt2e and convert_pt2e",
    ),
    Entry(
        "prepare_qat_fx",
        "from torch.ao.quantization import get_default_qat_qconfig_mapping, quantize_fx\n"
        "mapping = get_default_qat_qconfig_mapping('x86')\n"
        "quantize_fx.prepare_qat_fx(net.train(), mapping, (image,))(image)",
        "prepare_qat_pt2e",
    ),
    Entry(
        "FusedMovingAvgObsFakeQuantize",
        "from torch.ao.quantization import FusedMovingAvgObsFakeQuantize\n"
        "FusedMovingAvgObsFakeQuantize()(x)",
        "the same in torchao.quantization.pt2e",
    ),
    Entry(
        "torch.ao.nn.quantized.Linear",
        "import torch.ao.nn.quantized as nnq\nnnq.Linear(32, 8)",
        "nn.Linear with a weight of Int8Tensor",
    ),
    Entry(
        "torch.nn.quantized, the older name",
        "import torch.nn.quantized as nnq\nnnq.Linear(32, 8)",
        "nn.Linear with a weight of Int8Tensor",
    ),
    Entry("torch.nn.qat", "import torch.nn.qat\ntorch.nn.qat.Linear", "QATConfig"),
    Entry(
        "torch.ops.quantized.linear_dynamic",
        PACKED + "torch.ops.quantized.linear_dynamic(x, packed, True)",
        "int_scaled_matmul",
    ),
    Entry(
        "torch.ops.quantized.linear",
        PACKED + "codes = torch._make_per_tensor_quantized_tensor(\n"
        "    torch.ones(2, 32, dtype=torch.uint8), 0.1, 0)\n"
        "torch.ops.quantized.linear(codes, packed, 0.1, 0)",
        "torch.compile of a converted graph",
    ),
    Entry(
        "torch.ao.quantization.quantize_pt2e",
        "from torch.ao.quantization.quantize_pt2e import prepare_pt2e",
        "torchao.quantization.pt2e.quantize_pt2e",
    ),
    Entry(
        "torch.ao.quantization.quantizer.x86_inductor_quantizer",
        "from torch.ao.quantization.quantizer.x86_inductor_quantizer import X86InductorQuantizer",
        "torchao.quantization.pt2e.quantizer.x86_inductor_quantizer",
    ),
    Entry(
        "torch._export.capture_pre_autograd_graph",
        "from torch._export import capture_pre_autograd_graph",
        "torch.export.export",
    ),
)

NEW = (
    Entry("import torchao", "import torchao", needs_torchao=True),
    Entry(
        "choose_qparams_affine, quantize_affine, dequantize_affine",
        "from torchao.quantization import (\n"
        "    MappingType, choose_qparams_affine, dequantize_affine, quantize_affine)\n"
        "scale, zero_point = choose_qparams_affine(x, MappingType.SYMMETRIC, (1, 32), torch.int8)\n"
        "codes = quantize_affine(x, (1, 32), scale, zero_point, torch.int8)\n"
        "dequantize_affine(codes, (1, 32), scale, zero_point, torch.int8)",
        needs_torchao=True,
    ),
    *(
        Entry(
            f"quantize_ with {name}",
            "from torchao.quantization import *\n"
            "from torchao.quantization import quantize_\n"
            f"quantize_(layer, {name})\n"
            "layer(x)",
            needs_torchao=True,
        )
        for name in (
            "Int8DynamicActivationInt8WeightConfig()",
            "Int8WeightOnlyConfig()",
            "IntxWeightOnlyConfig(torch.int4, PerGroup(16))",
            "Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(16))",
            "Int4WeightOnlyConfig(32)",
            "Float8WeightOnlyConfig()",
            "Float8DynamicActivationFloat8WeightConfig()",
        )
    ),
    *(
        Entry(
            f"quantize_ with {name}, a prototype",
            f"from torchao.prototype.{module} import {name}\n"
            "from torchao.quantization import quantize_\n"
            f"layer, x = layer.{dtype}(), x.{dtype}()\n"
            f"quantize_(layer, {name}({options}))\n"
            "layer(x)",
            needs_torchao=True,
        )
        for name, module, dtype, options in (
            ("PrototypeInt4WeightOnlyConfig", "quantization.int4", "bfloat16", "group_size=32"),
            ("MXDynamicActivationMXWeightConfig", "mx_formats", "bfloat16", ""),
            ("NVFP4WeightOnlyConfig", "mx_formats", "float", ""),
        )
    ),
    *(
        Entry(
            f"quantize_ with {method}, a prototype",
            f"from torchao.prototype.{module} import {method}\n{before}"
            + WATCHED.format(method=method, prepare=prepare, convert=convert),
            needs_torchao=True,
        )
        for method, module, before, prepare, convert in (
            (
                "AWQConfig",
                "awq",
                "from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig\n"
                "base = PrototypeInt4WeightOnlyConfig(group_size=32)\n"
                "layer, x = layer.bfloat16(), x.bfloat16()",
                "base, step='prepare'",
                "base, step='convert'",
            ),
            (
                "GPTQConfig",
                "gptq",
                "from torchao.quantization import Int8WeightOnlyConfig\n"
                "base = Int8WeightOnlyConfig()",
                "step='observe', base_config=base",
                "step='convert', base_config=base",
            ),
            (
                "SmoothQuantConfig",
                "smoothquant",
                "from torchao.quantization import Int8DynamicActivationInt8WeightConfig\n"
                "base = Int8DynamicActivationInt8WeightConfig()",
                "base, step='prepare'",
                "base, step='convert'",
            ),
        )
    ),
    Entry("tensor.to(torch.float8_e4m3fn)", "x.to(torch.float8_e4m3fn).float()"),
    Entry(
        "torch.float4_e2m1fn_x2", "torch.ones(4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)"
    ),
    Entry("torch._scaled_mm of float8", SCALED),
    Entry(
        "int8_weight_only, a function in place of a config",
        "from torchao.quantization import int8_weight_only",
        needs_torchao=True,
    ),
    Entry(
        "quantize_ with QATConfig",
        "from torchao.quantization import IntxWeightOnlyConfig, PerGroup, quantize_\n"
        "from torchao.quantization.qat import QATConfig\n"
        "base = IntxWeightOnlyConfig(torch.int4, PerGroup(16))\n"
        "quantize_(layer, QATConfig(base, step='prepare'))\n"
        "layer(x).sum().backward()\n"
        "quantize_(layer, QATConfig(base, step='convert'))\n"
        "layer(x)",
        needs_torchao=True,
    ),
    Entry(
        "prepare_pt2e and convert_pt2e with X86InductorQuantizer",
        EXPORTED + "quantizer.set_global(x86.get_default_x86_inductor_quantization_config())\n"
        "prepared = prepare_pt2e(torch.export.export(net, (image,)).module(), quantizer)\n"
        "prepared(image)\n"
        "convert_pt2e(prepared)(image)",
        needs_torchao=True,
    ),
    Entry(
        "prepare_qat_pt2e with X86InductorQuantizer",
        EXPORTED
        + "quantizer.set_global(x86.get_default_x86_inductor_quantization_config(is_qat=True))\n"
        "graph = torch.export.export(nn.Sequential(net[0], net[2]), (image,)).module()\n"
        "prepare_qat_pt2e(graph, quantizer)(image).sum().backward()",
        needs_torchao=True,
    ),
)
