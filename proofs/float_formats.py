"""Small floats against torch's casts, ml_dtypes and onnxruntime."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from proofs.draw import SPECIAL, Draw
from proofs.inputs import X, values
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import (
    E2M1FN,
    E2M3FN,
    E3M2FN,
    E4M3FN,
    E4M3FNUZ,
    E5M2,
    E5M2FNUZ,
    E8M0FNU,
    FloatFormat,
    decode_float,
    encode_float,
    round_to_float,
)
from qlearn.formats.float_rounding import Overflow

TORCHS = {
    E4M3FN: torch.float8_e4m3fn,
    E5M2: torch.float8_e5m2,
    E4M3FNUZ: torch.float8_e4m3fnuz,
    E5M2FNUZ: torch.float8_e5m2fnuz,
    E8M0FNU: torch.float8_e8m0fnu,
}
# Those of them that have a sign
EIGHT_BITS = [E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ]

# What ml_dtypes calls them; the last three show that other formats follow the same rule.
ML_DTYPES = {
    E4M3FN: "float8_e4m3fn",
    E5M2: "float8_e5m2",
    E4M3FNUZ: "float8_e4m3fnuz",
    E5M2FNUZ: "float8_e5m2fnuz",
    E8M0FNU: "float8_e8m0fnu",
    E3M2FN: "float6_e3m2fn",
    E2M3FN: "float6_e2m3fn",
    E2M1FN: "float4_e2m1fn",
    FloatFormat("E4M3", 4, 3, bias=7, specials="ieee"): "float8_e4m3",
    FloatFormat("E3M4", 3, 4, bias=3, specials="ieee"): "float8_e3m4",
    FloatFormat("E4M3B11FNUZ", 4, 3, bias=11, specials="fnuz"): "float8_e4m3b11fnuz",
}


def every_code(format: FloatFormat) -> Tensor:
    """Return all codes of a format in order."""
    return torch.arange(2**format.bits).to(torch.uint8)


def marks_and_ties(format: FloatFormat) -> Tensor:
    """Return the format's numbers, the next one that there would be, and the middles of all."""
    numbers = decode_float(every_code(format), format)
    numbers = numbers[numbers.isfinite()].double().sort().values
    ends = numbers[[0, -1]] + torch.stack([numbers[0] - numbers[1], numbers[-1] - numbers[-2]])
    marks = torch.cat([ends[:1], numbers, ends[1:]])
    return torch.cat([marks, (marks[1:] + marks[:-1]) / 2]).float()


def with_neighbours(x: Tensor) -> Tensor:
    """Return float32 numbers, and before and behind each the next float32."""
    infinity = torch.full_like(x, torch.inf)
    return torch.cat([x, torch.nextafter(x, infinity), torch.nextafter(x, -infinity)])


def hard_floats(draw: Draw, format: FloatFormat) -> Tensor:
    """Return marks, ties and their neighbours, numbers between, any bits, and special values."""
    marks = marks_and_ties(format)
    chosen = marks[torch.randint(len(marks), (40,), generator=draw.generator)]
    bits = torch.randint(-(2**31), 2**31, (60,), generator=draw.generator).to(torch.int32)
    size = draw.choice([format.max, format.smallest_normal, format.smallest_positive])
    between = draw.normal(60) * torch.tensor(size, dtype=torch.float32)
    return torch.cat([with_neighbours(chosen), between, bits.view(torch.float32), SPECIAL])


def one_nan(x: Tensor) -> Tensor:
    """Return x with one bit pattern for NaN, of which IEEE 754 leaves the sign and payload open."""
    return torch.where(x.isnan(), torch.nan, x)


def clamped(x: Tensor, format: FloatFormat) -> Tensor:
    """Return x within the format's ends, and NaN as it was: torch's clamp may change its sign."""
    return torch.where(x.isnan(), x, x.clamp(format.min, format.max))


def torchs_codes(x: Tensor, format: FloatFormat) -> Tensor:
    """Return the codes of torch's own cast."""
    return x.to(TORCHS[format]).view(torch.uint8)


@proof("encode_float", "Tensor.to of torch: E5M2, E4M3FNUZ and E5M2FNUZ, overflow special")
def torchs_specials(draw: Draw) -> tuple[Any, Any]:
    """Compare codes of any float32, NaN and infinities among them, and of floats of 16 bits.

    The latter without NaN, whose sign may be lost on the way from float16 to float32.
    """
    format = draw.choice([E5M2, E4M3FNUZ, E5M2FNUZ])
    x = hard_floats(draw, format)
    dtype = draw.choice([torch.float32, torch.bfloat16, torch.float16])
    if dtype != torch.float32:
        x = x[~x.isnan()].to(dtype)
    return encode_float(x, format, overflow="special"), torchs_codes(x, format)


@proof("encode_float", "Tensor.to of torch after a clamp to the ends, overflow saturate")
def torchs_saturated(draw: Draw) -> tuple[Any, Any]:
    """Compare codes in all formats that torch has; for E8M0FNU the clamp takes the signs too."""
    format = draw.choice(list(TORCHS))
    x = hard_floats(draw, format)
    return encode_float(x, format), torchs_codes(clamped(x, format), format)


@proof("encode_float", "ml_dtypes' casts, overflow special where there is one", package="ml_dtypes")
def ml_dtypes_codes(draw: Draw) -> tuple[Any, Any]:
    """Compare codes of eleven formats; NaN where both write the same code for it."""
    import ml_dtypes

    format = draw.choice(list(ML_DTYPES))
    x = hard_floats(draw, format)
    if format.specials in ("ieee", "none"):  # of whose NaN ml_dtypes writes the first, or −0
        x = x[~x.isnan()]
    overflow: Overflow = "saturate" if format.specials == "none" else "special"
    theirs = x.numpy().astype(getattr(ml_dtypes, ML_DTYPES[format]))
    return encode_float(x, format, overflow=overflow), torch.from_numpy(theirs.view("uint8"))


@cache
def _onnx_cast(format: FloatFormat) -> Any:
    """Return onnxruntime's session that casts to a float8 and back, saturating."""
    import onnx
    import onnxruntime

    real, small = onnx.TensorProto.FLOAT, getattr(onnx.TensorProto, f"FLOAT8{format.name}")
    value, node = onnx.helper.make_tensor_value_info, onnx.helper.make_node
    casts = [
        node("Cast", ["x"], ["small"], to=small, saturate=1),
        node("Cast", ["small"], ["y"], to=real),
    ]
    graph = onnx.helper.make_graph(
        casts, "casts", [value("x", real, ["n"])], [value("y", real, ["n"])]
    )
    opset = onnx.helper.make_opsetid("", 19)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=9)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )


@proof("round_to_float", "onnxruntime's Cast to float8 and back, saturating", package="onnxruntime")
def onnx_saturated(draw: Draw) -> tuple[Any, Any]:
    """Compare any float32, infinities and NaN among them."""
    format = draw.choice(EIGHT_BITS)
    x = hard_floats(draw, format)
    (theirs,) = _onnx_cast(format).run(None, {"x": x.numpy()})
    return one_nan(round_to_float(x, format)), one_nan(torch.from_numpy(theirs))


@proof("round_to_float", "Tensor.to of torch, there and back: E5M2, E4M3FNUZ and E5M2FNUZ")
def there_and_back(draw: Draw) -> tuple[Any, Any]:
    """Compare what overflow special makes of any float32."""
    format = draw.choice([E5M2, E4M3FNUZ, E5M2FNUZ])
    x = hard_floats(draw, format)
    ours = round_to_float(x, format, overflow="special")
    return one_nan(ours), one_nan(x.to(TORCHS[format]).float())


@proof("decode_float", "Tensor.to of torch, every code of five formats")
def torchs_values(draw: Draw) -> tuple[Any, Any]:
    """Compare all codes, in any order."""
    format = draw.choice(list(TORCHS))
    codes = torch.randperm(2**format.bits, generator=draw.generator).to(torch.uint8)
    return one_nan(decode_float(codes, format)), one_nan(codes.view(TORCHS[format]).float())


@proof("decode_float", "ml_dtypes, every code of eleven formats", package="ml_dtypes")
def ml_dtypes_values(draw: Draw) -> tuple[Any, Any]:
    """Compare all codes, in any order."""
    import ml_dtypes

    format = draw.choice(list(ML_DTYPES))
    codes = torch.randperm(2**format.bits, generator=draw.generator).to(torch.uint8)
    theirs = codes.numpy().view(getattr(ml_dtypes, ML_DTYPES[format])).astype("float32")
    return one_nan(decode_float(codes, format)), one_nan(torch.from_numpy(theirs))


@proof(
    "FloatFormat", "ml_dtypes.finfo of eleven formats", cases=len(ML_DTYPES), package="ml_dtypes"
)
def facts(draw: Draw) -> tuple[Any, Any]:
    """Compare size, ends, and where the numbers begin."""
    import ml_dtypes

    format = list(ML_DTYPES)[draw.number % len(ML_DTYPES)]
    theirs = ml_dtypes.finfo(getattr(ml_dtypes, ML_DTYPES[format]))
    least = theirs.smallest_subnormal if format.signed else theirs.smallest_normal
    return (format.bits, format.max, format.smallest_positive), (
        theirs.bits,
        float(theirs.max),
        float(least),
    )


CHAPTER = "formats/float8_and_microscaling"


def codes(n: int) -> tuple[Tensor]:
    """Return the codes of n numbers in E4M3FN."""
    return (encode_float(*values(n), E4M3FN),)


public(
    "FloatFormat",
    CHAPTER,
    {"name": "E4M3", "exponent_bits": 4, "mantissa_bits": 3, "bias": 7, "specials": "ieee"},
    not_large="it takes no tensor",
)
TAUGHT = {
    CHAPTER: ["E2M1FN", "E2M3FN", "E4M3FN", "E4M3FNUZ", "E5M2", "E5M2FNUZ"],
    f"{CHAPTER}_to_the_bit": ["E3M2FN", "E8M0FNU"],
}
for chapter, name in [(chapter, name) for chapter, names in TAUGHT.items() for name in names]:
    public(
        name,
        chapter,
        {},
        not_large="it is a FloatFormat, and takes no tensor",
        not_proven="FloatFormat is proven with it, and so are the functions that take one",
    )
public(
    "round_to_float",
    CHAPTER,
    {"x": X, "format": E4M3FN, "overflow": "special"},
    Large("saturate", values, lambda x: round_to_float(x, E4M3FN)),
    Large("special", values, lambda x: round_to_float(x, E5M2, overflow="special")),
    keeps_nan=True,
)
public(
    "encode_float",
    CHAPTER,
    {"x": X, "format": E4M3FN, "overflow": "special"},
    Large("E4M3FN", values, lambda x: encode_float(x, E4M3FN)),
    Large("E2M1FN", values, lambda x: encode_float(x, E2M1FN)),
)
public(
    "decode_float",
    CHAPTER,
    {"codes": torch.tensor([[0, 1], [126, 255]], dtype=torch.uint8), "format": E4M3FN},
    Large("", codes, lambda q: decode_float(q, E4M3FN)),
    keeps_nan=True,
)
