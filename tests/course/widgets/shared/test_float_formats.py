"""The formats of numbers in JavaScript: each code and each rounding against torch and ml_dtypes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from qlearn import QParams, dequantize, quantize
from qlearn.course.widgets.float_bits import BITS, EIGHT
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "float_formats.js"
# What decodes and encodes with no line of ours: ml_dtypes, and numpy for what it has itself.
ORACLES: dict[str, Any] = {
    "E4M3FN": ml_dtypes.float8_e4m3fn,
    "E4M3": ml_dtypes.float8_e4m3,
    "E5M2": ml_dtypes.float8_e5m2,
    "E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "bfloat16": ml_dtypes.bfloat16,
    "float16": np.float16,
    "float32": np.float32,
}
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32}
# Functions of many codes or numbers at a time, by the name of a format.
DECODED = "(codes, name) => codes.map((code) => right.decode(code, right.FORMATS[name]))"
ENCODED = """(numbers, name, overflow) =>
  numbers.map((number) => right.encode(number, right.FORMATS[name], overflow))"""


def codes_of(name: str) -> np.ndarray:
    """Return all codes; of float32, drawn ones and those around the powers of two."""
    bits = BITS.get(name, 8)
    if bits <= 16:
        return np.arange(2**bits, dtype=UNSIGNED[bits])
    drawn = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32)
    powers = (np.arange(512, dtype=np.uint32) << 23)[:, None] + np.array([0, 1], np.uint32)
    return np.concatenate([drawn, powers.ravel(), powers.ravel() - 1])


def values_of(name: str, codes: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return codes.view(ORACLES[name]).astype(np.float64)


def same(found: list[Any], wanted: np.ndarray) -> int:
    """Return how many numbers differ; NaN is NaN, and JSON has no −0."""
    there = np.array([float(each) for each in found])
    equal = there == wanted
    return int((~(equal | (np.isnan(there) & np.isnan(wanted)))).sum())


def hard_numbers(name: str) -> np.ndarray:
    """Return float32 numbers: ties, their neighbours, subnormals, the ends, and beyond."""
    numbers = values_of(name, codes_of(name)[:65536])
    numbers = np.unique(numbers[np.isfinite(numbers)])
    middles = (numbers[:-1] + numbers[1:]) / 2
    end = numbers[-1]
    ulp = 2.0 ** (math.floor(math.log2(end)) - {8: 3, 16: 10, 32: 23}[BITS.get(name, 8)])
    ends = end + np.array([0.25, 0.5, 0.75, 1, 2, 1e9]) * ulp
    with np.errstate(all="ignore"):
        near = np.concatenate([numbers, middles, ends, -ends]).astype(np.float32)
        beside = [np.nextafter(near, np.float32(way)) for way in (np.inf, -np.inf)]
    every = np.concatenate([near, *beside])
    return np.unique(every[np.isfinite(every)])


def many(node: str, folder: Path, expression: str, *given: object) -> list[Any]:
    (answer,) = call(node, with_other(folder, MODULE, "many", expression), [["many", *given]])
    return answer


@pytest.mark.parametrize("name", ORACLES)
def test_each_code_means_what_ml_dtypes_says(node: str, tmp_path: Path, name: str) -> None:
    codes = codes_of(name)
    found = many(node, tmp_path, DECODED, codes.tolist(), name)
    assert same(found, values_of(name, codes)) == 0


@pytest.mark.parametrize("name", ORACLES)
def test_numbers_round_as_ml_dtypes_rounds_them(node: str, tmp_path: Path, name: str) -> None:
    numbers = hard_numbers(name)
    with np.errstate(all="ignore"):
        wanted = numbers.astype(ORACLES[name]).view(UNSIGNED[BITS.get(name, 8)])
    found = many(node, tmp_path, ENCODED, numbers.tolist(), name, "special")
    codes = np.array(found, dtype=wanted.dtype)
    no_number = np.isnan(values_of(name, codes)) & np.isnan(values_of(name, wanted))
    assert not ((codes != wanted) & ~no_number).any()


KINDS = [("E4M3FN", torch.float8_e4m3fn), ("E5M2", torch.float8_e5m2)]
KINDS += [("E4M3FNUZ", torch.float8_e4m3fnuz), ("E5M2FNUZ", torch.float8_e5m2fnuz)]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_saturating_is_a_clamp_before_torchs_cast(
    node: str, tmp_path: Path, name: str, kind: torch.dtype
) -> None:
    numbers = torch.from_numpy(hard_numbers(name))
    end = torch.finfo(kind).max
    wanted = numbers.clamp(-end, end).to(kind).view(torch.uint8)
    found = many(node, tmp_path, ENCODED, numbers.tolist(), name, "saturate")
    assert found == wanted.tolist()


def test_a_rounding_that_takes_halves_up_is_seen(node: str, tmp_path: Path) -> None:
    """The check of the roundings, with one that is wrong on ties alone."""
    up = """(numbers, name) => numbers.map((number) => {
      const [at, format] = [right.encode(number, right.FORMATS[name]), right.FORMATS[name]];
      const next = right.decode(at + 1, format);
      return 2 * number === right.decode(at, format) + next ? at + 1 : at;
    })"""
    numbers = [1.0625, 1.125, 1.1875]  # a tie that goes down, a number, a tie that goes up
    wanted = torch.tensor(numbers).to(torch.float8_e4m3fn).view(torch.uint8).tolist()
    assert many(node, tmp_path, ENCODED, numbers, "E4M3FN", "saturate") == wanted
    assert many(node, tmp_path, up, numbers, "E4M3FN") != wanted


def test_int8_is_clamped_and_rounded_to_even(node: str) -> None:
    integer = {"exponent": 0, "mantissa": 7, "top": "integer"}
    numbers = [-40.0, -32.0, -0.125, 0.125, 0.375, 31.75, 40.0]
    codes = (torch.tensor(numbers) / 0.25).round().clamp(-128, 127).to(torch.int8)
    found = call(node, MODULE, [["encode", x, integer, "saturate", 0.25] for x in numbers])
    assert found == codes.view(torch.uint8).tolist()
    back = call(node, MODULE, [["decode", code, integer, 0.25] for code in found])
    assert back == (codes * 0.25).tolist()


@pytest.mark.parametrize("scale", [0.3, 0.1, 1 / 3, 0.0123, 7.7e-6, 6e5])
def test_int8_is_what_qlearn_makes_of_it(node: str, scale: float) -> None:
    integer = {"exponent": 0, "mantissa": 7, "top": "integer"}
    qparams = QParams(scale, 0, -128, 127, torch.int8)
    numbers = torch.linspace(-140, 140, 2241, dtype=torch.float64) * scale  # ties are among them
    codes = quantize(numbers.float(), qparams)
    given = [["encode", x, integer, "saturate", scale] for x in numbers.tolist()]
    found = call(node, MODULE, given)
    assert found == codes.view(torch.uint8).tolist()
    back = call(node, MODULE, [["decode", code, integer, scale] for code in range(256)])
    every = torch.arange(256, dtype=torch.uint8).view(torch.int8)
    assert torch.equal(torch.tensor(back), dequantize(every, qparams))


@pytest.mark.parametrize("name", [*EIGHT, "float16"])
def test_places_count_the_numbers_from_the_lowest_to_the_highest(
    node: str, tmp_path: Path, name: str
) -> None:
    at = """(name) => {
      const format = right.FORMATS[name];
      const [first, last] = right.places(format);
      const all = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      const codes = all.map((place) => right.codeAt(place, format));
      const off = (code, i) => right.rank(code, format) - all[i];
      return codes.map((code, i) => [right.decode(code, format), off(code, i)]);
    }"""
    found = many(node, tmp_path, at, name)
    numbers = [number for number, _ in found]
    assert numbers == sorted(set(numbers)) and not any(off for _, off in found)
    wanted = np.arange(-128, 128.0) if name == "int8" else values_of(name, codes_of(name))
    assert numbers == np.unique(wanted[np.isfinite(wanted)]).tolist()
