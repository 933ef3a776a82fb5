from __future__ import annotations

import pytest

from measure.rounds import SLOW_ROUNDS, SLOW_SECONDS, take_turns, timing


def busy(steps: int) -> None:
    sum(range(steps))


def test_a_call_that_does_four_times_the_work_has_about_a_quarter_of_the_speed() -> None:
    found = take_turns({"one": lambda: busy(20_000), "four": lambda: busy(80_000)}, "one")
    assert 0.15 < found["four"].speed < 0.4
    assert found["one"].speed == 1


def test_the_speed_is_the_median_of_ratios_within_a_round() -> None:
    # In the second round the machine was ten times slower for both.
    found = timing([1.0, 10.0, 1.0], [2.0, 20.0, 4.0])
    assert found.speed == 2
    assert (found.low, found.high) == (2, 3)
    assert found.ms == 1000


def test_slow_calls_take_part_in_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(call: object, repeats: int = 1, device: str = "cpu") -> float:
        calls.append(call)
        return SLOW_SECONDS * 2 if call == "slow" else 0.001

    calls: list[object] = []
    monkeypatch.setattr("measure.rounds.seconds", seconds)
    found = take_turns({"slow": "slow", "fast": "fast"}, "fast", rounds=9)  # type: ignore[dict-item]
    assert calls.count("slow") == 1 + SLOW_ROUNDS
    assert calls.count("fast") == 1 + 9
    assert found["slow"].speed == pytest.approx(0.002)
