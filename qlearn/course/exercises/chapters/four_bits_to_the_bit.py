"""Four bits, to the bit: read which tensors a GGUF file holds."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import torch

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, a, nowhere

Shape = tuple[int, ...]
Q4_0, TEXT = 2, 8  # the numbers of a kind and of a type in GGUF


def text(words: str) -> bytes:
    """Return a text as GGUF has it: its length, and then its letters."""
    return struct.pack("<Q", len(words.encode())) + words.encode()


def written(shapes: Mapping[str, Shape], fact: tuple[str, str]) -> bytes:
    """Return a GGUF file with one fact and with tensors of zeros."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), 1)
    head += text(fact[0]) + struct.pack("<I", TEXT) + text(fact[1])
    place = 0
    for name, shape in shapes.items():
        head += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        head += struct.pack("<IQ", Q4_0, place)
        place += -(-torch.Size(shape).numel() // 32 * 18 // 32) * 32
    return head + bytes(-len(head) % 32) + bytes(place)


def read(file: bytes, shaped: Callable[[Shape], Shape]) -> dict[str, Shape]:
    """Return the tensors' names, and for each what is made of its shape as the file has it."""
    place, found = 0, {}

    def take(form: str) -> tuple[Any, ...]:
        nonlocal place
        place += struct.calcsize(f"<{form}")
        return struct.unpack_from(f"<{form}", file, place - struct.calcsize(f"<{form}"))

    _, _, count, _, size = take("4sIQQQ")
    *_, size = take(f"{size}sIQ")
    take(f"{size}s")
    for _ in range(count):
        name, dimensions = take(f"{take('Q')[0]}sI")
        found[name.decode()] = shaped(take(f"{dimensions}Q"))
        take("IQ")
    return found


def directory(file: bytes) -> dict[str, Shape]:
    """Return the shapes by the names, with the first dimension first."""
    return read(file, lambda shape: shape[::-1])


def as_written(file: bytes) -> dict[str, Shape]:
    """Leave the shapes as the file has them."""
    return read(file, lambda shape: shape)


def in_order(file: bytes) -> dict[str, Shape]:
    """Sort the dimensions."""
    return read(file, lambda shape: tuple(sorted(shape)))


def sizes(file: bytes) -> dict[str, Shape]:
    """Return the bytes of four-bit codes in each dimension."""
    return read(file, lambda shape: (*shape[:0:-1], shape[0] // 32 * 18))


def shapes(subject: Any, file: bytes) -> Parts:
    """Return the shapes of all tensors, one after the other, in the order of the file.

    Raises:
        WrongError: the names are others, or the dimensions are not as many.
    """
    found, right = subject(file), directory(file)
    if found is None or found is Ellipsis:
        return {"shapes": found}
    if not isinstance(found, dict):
        raise WrongError(
            "Let `directory` return a dict, which has the shape of each tensor by its name, and "
            f"not a {type(found).__name__}."
        )
    for name in found:
        if not isinstance(name, str):
            raise WrongError(f"A name should be a text, and not {name!r}: decode its bytes.")
    if len(found) != len(right):
        raise WrongError(f"The file holds {len(right)} tensors, and you return {len(found)}.")
    if missing := [name for name in right if name not in found]:
        raise WrongError(
            f"The file holds a tensor {missing[0]!r}, and you do not return it. Your names are "
            f"{', '.join(map(repr, found))}."
        )
    for name, shape in right.items():
        if not isinstance(found[name], tuple | list):
            kind = a(type(found[name]).__name__)
            raise WrongError(f"The shape of {name!r} should be a tuple, not {kind}.")
        if len(found[name]) != len(shape):
            raise WrongError(
                f"{name!r} has {len(shape)} dimensions, and your shape has {len(found[name])}."
            )
    return {"shapes": torch.tensor([int(size) for name in right for size in found[name]])}


FACT = ("general.architecture", "none")

DIRECTORY = Exercise(
    name="directory",
    call="directory(file)",
    task="a dict with the shape of each tensor by its name",
    drive=shapes,
    right=directory,
    cases=(
        Case("a single tensor", (written({"weight": (64, 64)}, FACT),)),
        Case("a matrix that is wider than high", (written({"weight": (2, 256)}, FACT),)),
        Case("a matrix that is higher than wide", (written({"weight": (256, 32)}, FACT),)),
        Case(
            "two tensors",
            (written({"small.weight": (2, 256), "large.weight": (4, 512)}, FACT),),
        ),
        Case(
            "another fact",
            (written({"small.weight": (2, 256)}, ("general.name", "Höhenfußgänger")),),
        ),
        Case(
            "one, two and three dimensions",
            (written({"bias": (64,), "weight": (8, 32), "kernel": (3, 5, 64)}, FACT),),
        ),
    ),
    mistakes={
        "GGUF writes the last dimension first: turn each shape around.": as_written,
        "You sort the dimensions. A shape may be higher than wide.": in_order,
        "Those are bytes. The file has the numbers of weights.": sizes,
    },
    hints=(
        "After the letters GGUF come the version in 4 bytes, and the numbers of tensors and of "
        "facts in 8 bytes each. Which byte is the first of the fact?",
        "A text is its length in 8 bytes, and then its letters. Behind the fact's name stands its "
        "type, in 4 bytes.",
        "Behind the shape of each tensor come its kind, 4 bytes, and its place, 8 bytes.",
    ),
    praise="It finds each tensor of the file above, too.",
    place=nowhere,
)

EXERCISES = (DIRECTORY,)
