"""``check``: whatever the reader passes or writes, a sentence comes back and no traceback."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

from qlearn.course import check
from qlearn.course.exercises.__main__ import main
from qlearn.course.exercises.catalogue import EXERCISES
from qlearn.course.exercises.chapters import PAGES
from qlearn.course.exercises.exercise import Exercise
from qlearn.course.exercises.hints import wrong_calls
from qlearn.course.exercises.tinyquant import STEPS
from qlearn.course.exercises.verdict import Verdict
from tests.course.exercises.build_page import changed, definitions, file_of
from tests.course.exercises.chapter_pages import sources


@pytest.fixture(autouse=True)
def first_call() -> None:
    wrong_calls.clear()


def quantize(x: Tensor, ruler: Any) -> Tensor:
    codes = torch.round(x * (1 / ruler.scale)) + ruler.zero_point
    return codes.clamp(ruler.quant_min, ruler.quant_max).to(ruler.dtype)


def said(written: Any, name: str = "quantize") -> str:
    """Return the sentence for something wrong."""
    verdict = check(name, written)
    assert not verdict
    return verdict.sentence


def test_what_is_right_is_true_and_green() -> None:
    verdict = check("quantize", quantize)
    assert verdict
    assert repr(verdict).startswith("Right. Your codes are those of torch.fake_quantize")
    page = verdict._repr_html_()
    assert 'role="status"' in page and "#1a7f37" in page


def test_what_is_wrong_is_plain_and_its_characters_are_safe() -> None:
    verdict = Verdict(False, "`a < b`", "Try & look.", "Note.")
    assert repr(verdict) == "Not yet. `a < b`\nNote.\nHint: Try & look."
    page = verdict._repr_html_()
    assert (
        "<code>a &lt; b</code><br>Note.<br>Hint: Try &amp; look.</div>" in page
        and "#1a7f37" not in page
    )


def test_an_unknown_name_brings_the_nearest_ones() -> None:
    sentence = said(quantize, "quantise")
    assert sentence.startswith("There is no exercise 'quantise'. Do you mean 'quantize' or '")
    assert said(quantize, "tinyquand").endswith("Do you mean 'tinyquant'?")
    assert said(quantize, "x").endswith("'x'. The exercise's own page calls check with its name.")
    assert said("quantize", quantize).startswith("First comes the name of the exercise")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, 3, torch.tensor(3)], ids=["None", "number", "tensor"])
def test_a_result_is_no_function(given: Any) -> None:
    assert said(given) == "Pass what you wrote, not its result: check('quantize', quantize)."


def stub(x: Tensor, ruler: Any) -> Any: ...


def documented(x: Tensor, ruler: Any) -> Any:
    """Return the codes."""
    return ...


def unwritten(x: Tensor, ruler: Any) -> Any:
    raise NotImplementedError


@pytest.mark.parametrize("written", [stub, documented, unwritten])
def test_an_empty_stub(written: Any) -> None:
    assert said(written) == (
        "`quantize` is still empty. Let `quantize(x, ruler)` return the codes of the numbers in x, "
        "in the dtype ruler.dtype."
    )


def returnless(x: Tensor, ruler: Any) -> None:
    quantize(x, ruler)


def divided(x: Tensor, ruler: Any) -> float:
    return 1 / 0


def matrix(x: Tensor, ruler: Any) -> Tensor:
    return quantize(x, ruler).reshape(-1, 1)


def in_place(x: Tensor, ruler: Any) -> Tensor:
    codes = quantize(x, ruler)
    x += 1
    return codes


def endless(x: Tensor, ruler: Any) -> Tensor:
    raise KeyboardInterrupt  # as Ctrl-C does wherever the loop is


def leaves(x: Tensor, ruler: Any) -> Tensor:
    raise SystemExit(3)


def one_argument(x: Tensor) -> Tensor:
    return x


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (returnless, "`quantize` returns nothing: is its `return` missing?"),
        (lambda x, ruler: quantize(x, ruler).tolist(), "Your codes should be a tensor, not a list"),
        (lambda x, ruler: 3, "Your codes should be a tensor, not an int."),
        (lambda x, ruler: quantize(x, ruler).int(), "should be torch.int8, not torch.int32."),
        (lambda x, ruler: quantize(x, ruler).to("meta"), "Your codes should lie on cpu, not on me"),
        (matrix, "Your codes should have the shape (4,), not (4, 1)."),
        (in_place, "`quantize` changes the tensor that it is given. Functions that end with _"),
        (divided, "stops in line 87, `return 1 / 0`. Python says: ZeroDivisionError: division by"),
        (endless, ", `raise KeyboardInterrupt  # as Ctrl-C does wherever the loop is`. Is there a"),
        (leaves, "`raise SystemExit(3)`. Python says: SystemExit: 3"),
        (one_argument, "It could not be called as `quantize(x, ruler)`. Python says: TypeError: "),
    ],
    ids=lambda given: getattr(given, "__name__", "")[:12],
)
def test_each_way_to_fail_gets_its_sentence(written: Any, sentence: str) -> None:
    found = said(written)
    line = f"line {divided.__code__.co_firstlineno + 1},"
    assert sentence.replace("line 87,", line) in found
    assert "Traceback" not in found


def test_nan_is_counted() -> None:
    found = said(lambda q, ruler: q * torch.nan, "dequantize")
    assert found == "Your numbers should hold no NaN, but 3 of 3 are NaN."


def test_a_mistake_of_no_kind_that_is_known_shows_its_place() -> None:
    found = said(lambda x, ruler: quantize(x, ruler) + 1)
    assert found == (
        "With a ruler whose zero point is 0, first at x = 0: your codes should be 0, not 1."
    )


def test_two_mistakes_at_once_are_told_one_by_one() -> None:
    def both(x: Tensor, ruler: Any) -> Tensor:
        return torch.floor(x / ruler.scale + 0.5).clamp(-128, 127).to(ruler.dtype)

    assert "You forgot the zero point" in said(both)


def test_hints_come_one_by_one_and_never_for_what_is_right() -> None:
    hints = [check("quantize", stub).hint for _ in range(4)]
    first, second = EXERCISES["quantize"].hints
    assert hints == ["", first, second, second]
    assert check("dequantize", stub).hint == ""  # each exercise counts for itself
    assert check("quantize", quantize).hint == ""
    assert check("quantize", stub).hint == ""


def test_a_function_that_is_not_there_yet_uses_no_hint(tmp_path: Path) -> None:
    path = tmp_path / "tinyquant.py"
    path.write_text("import torch\n", "utf-8")
    for _ in range(3):
        verdict = check("tinyquant", path)
        assert "There is no `quantize` yet" in verdict.sentence and not verdict.hint
    assert not wrong_calls


@pytest.mark.parametrize("page", PAGES)
def test_a_hint_is_no_solution_of_a_chapter(page: str) -> None:
    solutions = sources(page)[2]
    assert [exercise for exercise in PAGES[page] if tells(exercise, solutions[exercise.name])] == []


def test_a_hint_is_no_solution_of_tinyquant() -> None:
    solutions = definitions()[1]
    assert [step for step in STEPS if tells(step, solutions[step.name])] == []


def tells(exercise: Exercise, solution: str) -> bool:
    """Return whether what is told of an exercise holds a line of its solution."""
    lines = [line.strip() for line in solution.splitlines()[1:] if len(line) > 20]
    told = " ".join([*exercise.hints, *exercise.mistakes, exercise.task])
    return any(line in told for line in lines if not line.startswith(('"', ")")))


def test_a_class_without_a_call_is_told_how_it_is_called() -> None:
    class Layer:
        def __init__(self, *options: Any) -> None:
            self.options = options

    found = said(Layer, "Layer")
    assert found.startswith("Your layer cannot be called with codes: give it a `__call__`.")


def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "tinyquant.py"
    path.write_text(file_of(quantize=changed("quantize", "torch.round", "torch.trunc")), "utf-8")
    module = ModuleType("tinyquant")
    module.__file__ = str(path)
    assert "You cut the fraction off" in said(module)
    path.write_text(file_of(), "utf-8")
    assert check("quantize", module) and check("quantize", str(path))
    assert "tinyquant" not in sys.modules


def test_a_library_is_not_run_again() -> None:
    assert said(torch).startswith("There is no `quantize` yet.")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def quantize(x, ruler)\n", "Python cannot read line 1 of `tinyquant.py`, `def quantize("),
        ("import torch\ntorch.nothing\n", "`tinyquant.py` stops in line 2, `torch.nothing`. Pyth"),
        ("raise KeyboardInterrupt\n", "You stopped `tinyquant.py` while it ran in line 1, `raise "),
        ("x = 1\n", "There is no `quantize` yet. Let `quantize(x, ruler)` return the codes"),
    ],
    ids=["syntax", "exception", "stopped", "nothing"],
)
def test_a_file_that_does_not_run(source: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "tinyquant.py"
    path.write_text(source, "utf-8")
    assert said(path).startswith(sentence)


def test_a_file_that_is_no_file(tmp_path: Path) -> None:
    assert said("nowhere.py").startswith("There is no file `nowhere.py` to read here.")
    assert said("nowhere.py", "tinyquant").startswith("There is no file `nowhere.py`")
    path = tmp_path / "tinyquant.py"
    path.write_bytes(b"\xff\xfe\x00")
    assert "is no text in UTF-8" in said(path)


def test_a_file_may_hold_a_dataclass(tmp_path: Path) -> None:
    ruler = "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
    ruler += "@dataclass\nclass Ruler:\n    scale: float\n\n\nimport torch\n"
    path = tmp_path / "tinyquant.py"
    path.write_text(ruler + definitions()[1]["quantize"], "utf-8")
    assert check("quantize", path)


def test_a_terminal_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tinyquant.py"
    path.write_text(file_of(choose=definitions()[0]["choose"]), "utf-8")
    assert main([str(path)]) == 1
    assert "Now `choose`" in capsys.readouterr().out
    assert main([str(path), "choose", "--hint", "1"]) == 1
    assert f"Hint: {EXERCISES['choose'].hints[0]}" in capsys.readouterr().out
    assert main([str(path), "--hint", "1", "choose"]) == 1
    assert f"Hint: {EXERCISES['choose'].hints[0]}" in capsys.readouterr().out
    assert main([str(path), "quantize"]) == 0
    assert capsys.readouterr().out.startswith("Right.")


def test_a_terminal_gives_a_hint_for_a_step_that_is_not_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tinyquant.py"
    whole = file_of()
    path.write_text(whole[: whole.index("def choose")], "utf-8")
    for arguments in ([], ["choose"]):
        assert main([str(path), *arguments]) == 1
        assert "Hint" not in capsys.readouterr().out
        assert main([str(path), *arguments, "--hint", "2"]) == 1
        assert f"Hint: {EXERCISES['choose'].hints[1]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("layer", "there is no exercise 'layer': do you mean Layer?"),
        ("requantise", "do you mean requantize"),
        ("xyz", "the steps are quantize, dequantize, choose, Observer, "),
    ],
)
def test_a_terminal_tells_which_name_was_meant(
    name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["tinyquant.py", name])
    assert told in capsys.readouterr().err


def test_lines_for_the_notebook_alone_are_told_to_leave_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tinyquant.py"
    path.write_text('check("quantize", print)\n', "utf-8")
    assert said(path).endswith("Take the line `check(…)` out of the file: the command checks it.")
    path.write_text("layers = folded_layers(None)\n", "utf-8")
    assert "it is for the notebook alone" in said(path)
    path.write_text("nothing\n", "utf-8")
    assert said(path).endswith("NameError: name 'nothing' is not defined")


def test_ctrl_c_stops_an_endless_loop(tmp_path: Path) -> None:
    path = tmp_path / "tinyquant.py"
    loop = "import _thread\ndef quantize(x, ruler):\n    while True:\n        "
    path.write_text(loop + "_thread.interrupt_main()\n", "utf-8")  # what Ctrl-C does
    # A job in the background ignores Ctrl-C, and so would this loop.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = said(path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.startswith("You stopped `quantize` while it ran in line ")
    assert found.endswith("Is there a loop that never ends?")


def test_a_model_that_the_reader_changes_is_a_copy() -> None:
    def emptied(model: torch.nn.Module) -> int:
        model.weight.data.zero_()
        return 0

    first = said(emptied, "bytes_after")
    assert said(emptied, "bytes_after").startswith(first)


def test_two_results_may_come_in_one_tensor() -> None:
    def percentile_ends(x: Tensor, share: float) -> Tensor:
        return x.quantile(torch.tensor([share / 2, 1 - share / 2], dtype=x.dtype))

    assert check("percentile_ends", percentile_ends)
    assert said(lambda x, share: x, "percentile_ends") == (
        "Return 2 results: the lower end and the upper end."
    )
