"""The shortest times, on a clock that the test winds."""

import pytest

from qlearn.course import shortest, timing


class Clock:
    """A clock that stands still but for what the models add."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def model(self, *seconds):
        left = list(seconds)

        def run(x):
            self.now += left.pop(0)

        return run


def test_each_model_has_its_own_shortest_time(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    models = [clock.model(3, 1, 2), clock.model(5, 4, 8)]
    assert shortest(models, None, runs=3) == [1, 4]


def test_models_take_turns():
    seen = []
    models = [lambda x, name=name: seen.append(name) for name in "ab"]
    shortest(models, None, runs=2)
    assert seen == ["a", "b", "a", "b"]


def test_no_run_has_no_shortest_time():
    with pytest.raises(ValueError, match="runs is 0: pass at least 1"):
        shortest([], None, runs=0)
