"""The twin of a cache in groups of tokens: what comes back of it, what waits, and its bytes."""

from __future__ import annotations

from pathlib import Path

import torch

from qlearn import QuantizedCache
from qlearn.course import normal
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.language.cache import Axis, quantize_cache
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "token_groups.js"
TOKENS, CHANNELS, GROUP = 11, 5, 4
HEAD = normal(TOKENS, CHANNELS, generator=torch.Generator().manual_seed(0))
HEAD[:, 2] *= 30
HEAD[:, 3] = 0
AXES: tuple[Axis, ...] = ("channel", "token")


def caches_that_differ(node: str, module: Path) -> int:
    """Return how many caches hold other numbers, or take other bytes, than qlearn's."""
    calls, wanted = [], []
    for axis in AXES:
        for bits in (2, 3, 4, 8):
            form = {"axis": axis, "channels": CHANNELS, "groupSize": GROUP, "bits": bits}
            for tokens in range(1, TOKENS + 1):
                cache = QuantizedCache(bits=bits, group_size=GROUP, keys=axis, values=axis)
                rows = HEAD[:tokens]
                back, _ = cache.append(0, rows[None, None], rows[None, None])
                calls += [["restored", rows.tolist(), form], ["bytesOf", tokens, form]]
                calls += [["waiting", tokens, form]]
                wanted.append((back[0, 0].tolist(), cache.bytes / 2, cache.waiting(0)[0]))
    found = call(node, module, calls)
    got = zip(found[::3], found[1::3], found[2::3], strict=True)
    return sum(cache != right for cache, right in zip(got, wanted, strict=True))


def test_caches_are_those_of_the_course(node: str) -> None:
    assert caches_that_differ(node, MODULE) == 0


def test_a_group_that_is_quantized_too_soon_is_seen(node: str, tmp_path: Path) -> None:
    soon = "(rows, form) => right.restored(rows, { ...form, groupSize: 1 })"
    assert caches_that_differ(node, with_other(tmp_path, MODULE, "restored", soon)) > 40


def test_a_box_has_the_numbers_of_one_scale(node: str) -> None:
    for axis in AXES:
        form = {"axis": axis, "channels": CHANNELS, "groupSize": GROUP}
        (boxes,) = call(node, MODULE, [["boxes", 2 * GROUP, form]])
        groups = HEAD[: 2 * GROUP].split(GROUP)
        scales = torch.cat([quantize_cache(x, bits=4, axis=axis).scales.flatten() for x in groups])
        sizes = [HEAD[y : y + h, x : x + w].abs().max() for y, x, h, w in boxes]
        assert torch.equal((torch.stack(sizes) / 7.5).clamp_min(2**-126), scales)
