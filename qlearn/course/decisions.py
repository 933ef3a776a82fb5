"""The decision guide as data: questions that lead to a method, a config and a page.

The page *Which one?*, its interactive form, the table for print and the tests are all made from
the two dictionaries here; :mod:`qlearn.course.decision_paths` walks through them. A config is
text that runs: ``model`` is the float model, ``batches`` are inputs without labels, ``texts`` is a
data set of texts. What needs another program is run by ``make guide-runs``, which records it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["linear", "conv", "lstm", "embedding"]
Runs = Literal["here", "stops", "elsewhere"]


class Answer(NamedTuple):
    """One way on from a question: its words, the reason, and the question or leaf it leads to."""

    name: str
    text: str
    because: str
    to: str


class Question(NamedTuple):
    """A fork of the tree."""

    text: str
    answers: tuple[Answer, ...]


class Leaf(NamedTuple):
    """An end of the tree.

    ``runs`` says what becomes of the config on a processor with the course installed: it runs
    "here", it "stops" with an error, or it needs another program and runs "elsewhere".
    """

    method: str
    call: str  # the heart of the config, for the table
    config: str
    page: str  # of the book, without its suffix
    why: str
    kind: Kind
    runs: Runs = "here"
    needs: str = ""  # what it needs beside torchao, and by which documentation
    language: Literal["python", "shell"] = "python"


ROOT = "device"

QUESTIONS: dict[str, Question] = {
    "device": Question(
        "Where will it run?",
        (
            Answer(
                "processor",
                "processor, PyTorch",
                "PyTorch's own library torchao quantizes it there, and it stays a PyTorch model.",
                "weights",
            ),
            Answer(
                "other",
                "processor, another program",
                "Programs such as llama.cpp and ONNX Runtime read files of their own, and bring "
                "their own tools to quantize them.",
                "file",
            ),
            Answer(
                "card",
                "NVIDIA graphics card",
                "Its kernels for four bits and for float8 want weights packed or scaled in their "
                "own way. On a processor those configs stop with an error.",
                "card_kind",
            ),
            Answer(
                "phone",
                "phone",
                "ExecuTorch brings the model there and hands it to XNNPACK, whose integer kernels "
                "decide what is fast.",
                "phone_kind",
            ),
        ),
    ),
    "weights": Question(
        "What holds most of the weights?",
        (
            Answer(
                "linear",
                "linear layers",
                "These are what torchao's quantize_ looks for. Transformers and language models "
                "consist of them.",
                "rows",
            ),
            Answer(
                "conv",
                "convolutions",
                "The function quantize_ leaves them alone. PT2E quantizes the graph of the whole "
                "network.",
                "conv_data",
            ),
            Answer(
                "lstm",
                "an LSTM",
                "An LSTM holds no nn.Linear, so torchao's tools leave it in float without a word.",
                "life",
            ),
            Answer(
                "embedding",
                "an embedding table",
                "A table is looked up, not multiplied. Only its bytes count, so its inputs stay "
                "as they are.",
                "embedding",
            ),
        ),
    ),
    "rows": Question(
        "How many rows does a layer get at once?",
        (
            Answer(
                "few",
                "one row or a few",
                "Reading the weights takes most of the time. Fewer bytes are read sooner, and the "
                "inputs can stay in float.",
                "loss",
            ),
            Answer(
                "many",
                "dozens of rows or more",
                "Multiplying takes most of the time, and integers multiply faster. So the inputs "
                "must become codes as well.",
                "loud",
            ),
        ),
    ),
    "loss": Question(
        "What may be lost?",
        (
            Answer(
                "hardly",
                "hardly anything",
                "With 256 codes, and a scale for each output of a layer, the error is near a "
                "hundredth of the output.",
                "int8_weights",
            ),
            Answer(
                "some",
                "a little, for half the bytes",
                "Sixteen codes for each group of 32 weights: the error is near a twentieth of "
                "the output.",
                "data",
            ),
        ),
    ),
    "data": Question(
        "Have you typical inputs, without labels?",
        (
            Answer(
                "no",
                "no typical inputs",
                "Rounding each weight to its nearest code needs none.",
                "int4_weights",
            ),
            Answer(
                "yes",
                "some dozens of typical inputs",
                "They show which inputs of a layer are large. AWQ scales the weights that meet "
                "them, so that these are rounded more finely.",
                "awq",
            ),
        ),
    ),
    "loud": Question(
        "Are a few inputs of a layer far larger than the rest?",
        (
            Answer(
                "no",
                "no far larger inputs, or not known",
                "A scale for each row of inputs, chosen when it arrives, then wastes little. No "
                "data is needed.",
                "int8_dynamic",
            ),
            Answer(
                "yes",
                "far larger inputs, and typical ones to look at",
                "One large number makes the scale of its whole row coarse. SmoothQuant divides "
                "these inputs by a factor and multiplies their weights by it.",
                "smoothquant",
            ),
        ),
    ),
    "conv_data": Question(
        "Have you typical inputs, without labels?",
        (
            Answer(
                "no",
                "no typical inputs",
                "Static quantization chooses the range of each layer's output from inputs. "
                "Without any, bfloat16 halves the bytes of all layers in one call.",
                "half",
            ),
            Answer(
                "yes",
                "some dozens of typical inputs",
                "They are enough to choose the ranges.",
                "tried",
            ),
        ),
    ),
    "tried": Question(
        "Did static quantization lose too much?",
        (
            Answer(
                "no",
                "static not tried, or good enough",
                "Try it first. It takes minutes, and on most networks it is the end of the search.",
                "static",
            ),
            Answer(
                "yes",
                "static lost too much, and I can train",
                "Trained with the rounding in it, the network finds weights that bear it. It "
                "needs labels, or the float model's answers.",
                "qat",
            ),
        ),
    ),
    "life": Question(
        "How long must the code live?",
        (
            Answer(
                "pinned",
                "it stays with this version of torch",
                "The old torch.ao still has an LSTM with integer weights, in one call. Its removal "
                "is announced, so pin the version.",
                "old_lstm",
            ),
            Answer(
                "long",
                "later versions must run it",
                "Written with linear layers, an LSTM is what torchao expects. It steps in Python, "
                "which costs time.",
                "lstm",
            ),
        ),
    ),
    "file": Question(
        "What kind of model is it?",
        (
            Answer(
                "language",
                "a language model",
                "The program llama.cpp has kernels for blocks of 32 weights with a scale for each, "
                "and packs two codes into a byte.",
                "file_loss",
            ),
            Answer(
                "conv",
                "mostly convolutions",
                "ONNX Runtime advises static quantization for them. It needs typical inputs.",
                "onnx_static",
            ),
            Answer(
                "linear",
                "an LSTM, or a small transformer",
                "ONNX Runtime advises dynamic quantization for both. It needs no data.",
                "onnx_dynamic",
            ),
        ),
    ),
    "file_loss": Question(
        "What may be lost?",
        (
            Answer("hardly", "hardly anything", "Eight bits and a scale for each block.", "gguf_8"),
            Answer(
                "some",
                "a little, for half the bytes",
                "Four bits for most weights and six for some that hurt most.",
                "gguf_4",
            ),
        ),
    ),
    "card_kind": Question(
        "What holds most of the weights?",
        (
            Answer(
                "linear", "linear layers", "These are what torchao's configs are for.", "card_rows"
            ),
            Answer(
                "conv",
                "convolutions",
                "Most configs of torchao are for linear layers. TensorRT has integer convolutions, "
                "in a program of its own.",
                "half",
            ),
        ),
    ),
    "card_rows": Question(
        "How many rows does a layer get at once?",
        (
            Answer(
                "few",
                "one row or a few",
                "Reading the weights takes most of the time, on a card even more than on a "
                "processor.",
                "card_data",
            ),
            Answer(
                "many",
                "dozens of rows or more",
                "Multiplying takes most of the time.",
                "card_age",
            ),
        ),
    ),
    "card_data": Question(
        "Have you typical inputs, without labels?",
        (
            Answer(
                "no",
                "no typical inputs",
                "Rounding each weight to its nearest code needs none.",
                "card_int4",
            ),
            Answer(
                "yes",
                "a language model, and typical texts",
                "GPTQ rounds a weight column by column, and lets the columns that follow make up "
                "for each error on these texts.",
                "gptq",
            ),
        ),
    ),
    "card_age": Question(
        "Which compute capability has NVIDIA given the card?",
        (
            Answer(
                "new",
                "capability 8.9 or later (L4, H100)",
                "These multiply float8 twice as fast as bfloat16, and float8 bears large numbers.",
                "card_float8",
            ),
            Answer(
                "old",
                "capability 8.0 or 8.6 (A100)",
                "These have no float8. They multiply int8.",
                "card_int8",
            ),
        ),
    ),
    "phone_kind": Question(
        "What holds most of the weights?",
        (
            Answer(
                "conv",
                "convolutions",
                "XNNPACK multiplies int8 by int8, with ranges that typical inputs have fixed.",
                "phone_static",
            ),
            Answer(
                "linear",
                "linear layers",
                "XNNPACK takes weights of four bits, if the inputs become codes of eight.",
                "phone_linear",
            ),
        ),
    ),
}

FITS = """
def fits(module, name):
    if isinstance(module, InAttention):  # read by the attention, and never called
        return False
    return isinstance(module, nn.Linear) and module.out_features % 16 == 0
"""

PT2E = """
for batch in batches:
    prepared(batch)
model = convert_pt2e(prepared)
"""

LEAVES: dict[str, Leaf] = {
    "int8_weights": Leaf(
        "int8 weights",
        "Int8WeightOnlyConfig()",
        """
from torchao.quantization import Int8WeightOnlyConfig, quantize_

quantize_(model, Int8WeightOnlyConfig())
""",
        "start/tonight",
        "The safest first step: a quarter of the bytes of float32. In float32 it is not faster. In "
        "bfloat16 and compiled it is, on processors with instructions for it. But so is bfloat16 "
        "alone, and dynamic int8, both compiled with freezing: measure all three.",
        "linear",
    ),
    "int4_weights": Leaf(
        "four bits in groups",
        "PrototypeInt4WeightOnlyConfig(group_size=32)",
        """
import torch
from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear as InAttention
from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.quantization import quantize_
"""
        + FITS
        + """
model.to(torch.bfloat16)
quantize_(model, PrototypeInt4WeightOnlyConfig(group_size=32), filter_fn=fits)
""",
        "formats/four_bits",
        "The config of torchao that packs two codes into a byte on a processor. It is a "
        "prototype, and takes layers with a multiple of 16 outputs. It keeps scales in your dtype. "
        "IntxWeightOnlyConfig is stable, but stores a byte for each code, and lost 3 dB more here.",
        "linear",
    ),
    "awq": Leaf(
        "four bits with AWQ",
        "AWQConfig",
        """
import torch
from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear as InAttention
from torchao.prototype.awq import AWQConfig
from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.quantization import quantize_
"""
        + FITS
        + """
base = PrototypeInt4WeightOnlyConfig(group_size=32)
model.to(torch.bfloat16)
quantize_(model, AWQConfig(base, step="prepare"), filter_fn=fits)
for batch in batches:  # of one size
    model(batch.to(torch.bfloat16) if batch.is_floating_point() else batch)
quantize_(model, AWQConfig(base, step="convert"), filter_fn=fits)
""",
        "language/weights",
        "It gains most where some inputs are much larger than others, as in large language models. "
        "It is a prototype.",
        "linear",
    ),
    "int8_dynamic": Leaf(
        "dynamic int8",
        "Int8DynamicActivationInt8WeightConfig()",
        """
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

quantize_(model, Int8DynamicActivationInt8WeightConfig())
""",
        "models/dynamic_quantization",
        "Integers multiply integers, with a scale for each row of inputs. It is fastest when "
        "compiled, with freezing; as it stands it can be slower than float. On an x86 processor "
        "without AVX512-VNNI measure first: compiled, it can be a thousand times slower, and "
        "with AVX2 alone its sums overflow unless you pass reduce_range=True.",
        "linear",
    ),
    "smoothquant": Leaf(
        "dynamic int8 with SmoothQuant",
        "SmoothQuantConfig",
        """
from torchao.prototype.smoothquant import SmoothQuantConfig
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

base = Int8DynamicActivationInt8WeightConfig()
quantize_(model, SmoothQuantConfig(base, step="prepare"))
for batch in batches:  # of one size
    model(batch)
quantize_(model, SmoothQuantConfig(base, step="convert"))
""",
        "language/activations",
        "The factors are chosen from the largest numbers that the inputs and the weights have. "
        "It is a prototype.",
        "linear",
    ),
    "half": Leaf(
        "bfloat16",
        "model.to(torch.bfloat16)",
        """
import torch

model.to(torch.bfloat16)
""",
        "running/running",
        "Half the bytes in one call, with no data and no choice to make. For a quarter, "
        "IntxWeightOnlyConfig(torch.int8, PerAxis(0)) takes nn.Conv2d, too, if a filter_fn names "
        "those whose in_channels are more than their groups.",
        "conv",
    ),
    "static": Leaf(
        "static int8 by PT2E",
        "prepare_pt2e",
        """
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

quantizer = x86.X86InductorQuantizer()
quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
rows = ({0: torch.export.Dim.AUTO},)
exported = torch.export.export(model, (batches[0],), dynamic_shapes=rows)
prepared = prepare_pt2e(exported.module(), quantizer)
"""
        + PT2E.lstrip("\n"),
        "models/static_quantization",
        "Weights and inputs of all layers become codes of eight bits, in ranges fixed beforehand. "
        "It is fast only when compiled with freezing. On ARM take ArmInductorQuantizer.",
        "conv",
    ),
    "qat": Leaf(
        "training with fake quantization",
        "prepare_qat_pt2e",
        """
import torch
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

config = x86.get_default_x86_inductor_quantization_config(is_qat=True)
quantizer = x86.X86InductorQuantizer().set_global(config)
rows = ({0: torch.export.Dim.AUTO},)
exported = torch.export.export(model.train(), (batches[0],), dynamic_shapes=rows)
prepared = prepare_qat_pt2e(exported.module(), quantizer)
train(prepared)  # your own loop
move_exported_model_to_eval(prepared)
model = convert_pt2e(prepared)
""",
        "models/qat",
        "Rounding happens in each step of the training, and the gradient passes as if it did "
        "not. It costs a training, so it comes last.",
        "conv",
    ),
    "old_lstm": Leaf(
        "dynamic int8 by torch.ao",
        "quantize_dynamic",
        """
from torch import nn
from torch.ao.quantization import quantize_dynamic

model = quantize_dynamic(model, {nn.LSTM, nn.Linear})
""",
        "models/dynamic_quantization",
        "One call, and a kernel that runs all steps. It warns of its removal.",
        "lstm",
    ),
    "lstm": Leaf(
        "an LSTM of linear layers, int8 weights",
        "with_linear_lstms(model)",
        """
from qlearn.course.linear_lstm import with_linear_lstms
from torchao.quantization import Int8WeightOnlyConfig, quantize_

model = with_linear_lstms(model)
quantize_(model, Int8WeightOnlyConfig())
""",
        "start/which_one",
        "The same weights in two linear layers, and the steps in Python. For speed, export it, "
        "or take ONNX Runtime, whose LSTM is one operator.",
        "lstm",
    ),
    "embedding": Leaf(
        "int8 rows in the table",
        "IntxWeightOnlyConfig(torch.int8, PerAxis(0))",
        """
import torch
from torch import nn
from torchao.quantization import IntxWeightOnlyConfig, PerAxis, quantize_


def tables(module, name):
    return isinstance(module, nn.Embedding)


quantize_(model, IntxWeightOnlyConfig(torch.int8, PerAxis(0)), filter_fn=tables)
""",
        "start/which_one",
        "A scale for each row of the table. Without the filter, quantize_ would pass it by.",
        "embedding",
    ),
    "gguf_8": Leaf(
        "GGUF, Q8_0",
        "llama-quantize",
        """
python convert_hf_to_gguf.py FOLDER --outfile model.gguf --outtype f16
llama-quantize model.gguf model-q8.gguf Q8_0
""",
        "formats/four_bits",
        "8.5 bits for each weight. Take it where memory is plenty.",
        "linear",
        "elsewhere",
        "llama.cpp; see the README of its quantize",
        "shell",
    ),
    "gguf_4": Leaf(
        "GGUF, Q4_K_M",
        "llama-quantize",
        """
python convert_hf_to_gguf.py FOLDER --outfile model.gguf --outtype f16
llama-quantize model.gguf model-q4.gguf Q4_K_M
""",
        "formats/four_bits",
        "4.84 bits for each weight of a model of seven billion. The usual choice for a laptop. For "
        "long texts, llama-server takes --cache-type-k q8_0 and --cache-type-v q8_0 as well.",
        "linear",
        "elsewhere",
        "llama.cpp; see the README of its quantize",
        "shell",
    ),
    "onnx_static": Leaf(
        "static int8 by ONNX Runtime",
        "quantize_static",
        """
from onnxruntime.quantization import CalibrationDataReader, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class Reader(CalibrationDataReader):
    def __init__(self):
        self.rows = iter(batches)

    def get_next(self):
        batch = next(self.rows, None)
        # the name that the input has in your file: here x
        return None if batch is None else {"x": batch.numpy()}


quant_pre_process("model.onnx", "ready.onnx")
quantize_static("ready.onnx", "model-int8.onnx", Reader(), per_channel=True)
""",
        "running/running",
        "Its files hold pairs of QuantizeLinear and DequantizeLinear, which other runtimes read "
        "as well.",
        "conv",
        "elsewhere",
        "onnxruntime; see its page Quantize ONNX Models",
    ),
    "onnx_dynamic": Leaf(
        "dynamic int8 by ONNX Runtime",
        "quantize_dynamic",
        """
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

quant_pre_process("model.onnx", "ready.onnx")
quantize_dynamic("ready.onnx", "model-int8.onnx", weight_type=QuantType.QInt8)
""",
        "running/running",
        "It has an operator for a whole LSTM with integer weights.",
        "linear",
        "elsewhere",
        "onnxruntime; see its page Quantize ONNX Models",
    ),
    "card_int4": Leaf(
        "four bits in groups, packed for a card",
        "Int4WeightOnlyConfig(group_size=128)",
        """
from torchao.quantization import Int4WeightOnlyConfig, quantize_

# before this: model.to("cuda", torch.bfloat16)
quantize_(model, Int4WeightOnlyConfig(group_size=128))
""",
        "formats/four_bits",
        "A quarter of bfloat16's bytes, read by kernels that unpack as they multiply. So it stands "
        "for an H100. On other cards from capability 8.0 on, add "
        'int4_packing_format="tile_packed_to_4d", which needs no mslk.',
        "linear",
        "stops",
        "an H100 and the package mslk; see torchao's page Quantized Inference, March 2026",
    ),
    "gptq": Leaf(
        "four bits by GPTQ",
        "GPTQModifier",
        """
from llmcompressor import oneshot
from llmcompressor.modifiers.gptq import GPTQModifier

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model=model, dataset=texts, recipe=recipe)
""",
        "language/weights",
        "The program vLLM reads what it saves. The same library has AWQ and SmoothQuant.",
        "linear",
        "elsewhere",
        "llmcompressor; see its page Oneshot, August 2026",
    ),
    "card_float8": Leaf(
        "dynamic float8",
        "Float8DynamicActivationFloat8WeightConfig",
        """
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig
from torchao.quantization import PerRow, quantize_

# before this: model.to("cuda", torch.bfloat16)
quantize_(model, Float8DynamicActivationFloat8WeightConfig(granularity=PerRow()))
""",
        "formats/float8_and_microscaling",
        "Half of bfloat16's bytes, and twice its products in each second.",
        "linear",
        "stops",
        "a card of capability 8.9; see torchao's page Quantized Inference, March 2026",
    ),
    "card_int8": Leaf(
        "dynamic int8, on a card",
        "Int8DynamicActivationInt8WeightConfig()",
        """
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

# before this: model.to("cuda", torch.bfloat16)
quantize_(model, Int8DynamicActivationInt8WeightConfig())
""",
        "models/dynamic_quantization",
        "The config of the processor. Compile the model, so that quantizing the inputs is merged "
        "with what comes before.",
        "linear",
    ),
    "phone_static": Leaf(
        "static int8 for XNNPACK",
        "prepare_pt2e",
        """
import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

config = get_symmetric_quantization_config(is_per_channel=True)
quantizer = XNNPACKQuantizer().set_global(config)
rows = ({0: torch.export.Dim.AUTO},)
exported = torch.export.export(model, (batches[0],), dynamic_shapes=rows)
prepared = prepare_pt2e(exported.module(), quantizer)
"""
        + PT2E.lstrip("\n"),
        "running/running",
        "Then export it again and lower it to XNNPACK. On an iPhone, Core ML is the other way, "
        "with a quantizer of its own.",
        "conv",
        "elsewhere",
        "executorch; see ExecuTorch 1.0, XNNPACK Backend, Quantization",
    ),
    "phone_linear": Leaf(
        "four bits, dynamic int8 inputs",
        "Int8DynamicActivationIntxWeightConfig",
        """
import torch
from torchao.quantization import Int8DynamicActivationIntxWeightConfig
from torchao.quantization import PerGroup, quantize_

config = Int8DynamicActivationIntxWeightConfig(
    weight_dtype=torch.int4, weight_granularity=PerGroup(32)
)
quantize_(model, config)
""",
        "running/running",
        "The codes are packed when ExecuTorch lowers the model, so only its file is small.",
        "linear",
    ),
}
