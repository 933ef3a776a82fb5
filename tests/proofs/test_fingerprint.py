"""What makes a proof's full run one of other code, and what does not."""

import ast
import re
from functools import cache

import pytest

from proofs.collection import all_proofs
from proofs.computing import module_of, written
from proofs.fingerprint import fingerprint, source_of

PROOFS = all_proofs()
MSE = "mse: math.fsum, which sums exactly"
METRICS = "qlearn.numbers.metrics"


@cache
def now(name: str) -> str:
    """Return the fingerprint of a proof as its code is."""
    return fingerprint(PROOFS[name])


def outdated_by(**sources: str) -> set[str]:
    """Return the functions whose proofs have another fingerprint with these modules' texts."""
    texts = {name.replace("__", "."): text for name, text in sources.items()}
    return {
        proof.of
        for name, proof in PROOFS.items()
        if now(name) != fingerprint(proof, lambda name: texts.get(name) or source_of(name))
    }


def edited(module: str, old: str, new: str) -> dict[str, str]:
    """Return the module's text with one part replaced, as an argument of ``outdated_by``."""
    source = source_of(module)
    changed, count = re.subn(old, lambda _: new, source)
    assert count, f"{old} is not in {module}"
    return {module.replace(".", "__"): changed}


def with_line(text: str, function: str, line: str) -> str:
    """Return a module's text with one line more in a function, before it returns."""
    above, name, below = text.partition(f"\ndef {function}(")
    body, returns, rest = below.partition("\n    return ")
    assert returns, f"{function} returns nothing"
    return f"{above}{name}{body}\n    {line}{returns}{rest}"


@pytest.mark.parametrize("function", ["mse", "max_error"])
def test_a_changed_function_outdates_its_proofs_and_no_others(function):
    changed = with_line(source_of(METRICS), function, "reference = approximation")
    assert outdated_by(**{METRICS.replace(".", "__"): changed}) == {function}


def test_a_changed_case_outdates_its_proof():
    changed = edited("proofs.digits", r"load_digits\(\)", "load_digits( )[:2]")
    assert outdated_by(**changed) == {"load_digits"}


def test_a_changed_comparison_outdates_every_proof():
    changed = edited("proofs.proof", r"if not unequal\.any\(\)", "if unequal.numel() > 3")
    assert outdated_by(**changed) == {proof.of for proof in PROOFS.values()}


def test_a_changed_constant_outdates_what_reads_it():
    changed = edited(
        "qlearn.numbers.rules.kernel", r"FALLBACK_SCALE = 0\.1", "FALLBACK_SCALE = 0.2"
    )
    assert "dynamic_qparams" in (functions := outdated_by(**changed))
    assert not functions & {"mse", "quantize", "choose_qparams"}


SAME = {
    "another message": (r'ValueError\("[^"]*"\)', 'ValueError(f"{reference} is empty")'),
    "other words for a check": (r'"an? [\w -]+ tensor"', '"float32 numbers, or float64"'),
    "a longer docstring": (r'"""Return the mean', '"""Go and return the mean'),
    "a comment": (r"\n    return ", "\n    # as Gauss did\n    return "),
    "an import that nobody uses": (r"\nimport math\n", "\nimport math\nimport zlib\n"),
    "another annotation": (r"-> float:", "-> 'float | int':"),
}


@pytest.mark.parametrize("change", SAME)
def test_words_outdate_nothing(change):
    old, new = SAME[change]
    assert outdated_by(**edited(METRICS, old, new)) == set()


class Reworded(ast.NodeTransformer):
    """Adds a word to each text with a space in it, save in annotations, where it gives a shape."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and " " in node.value:
            node.value += " indeed"
        return node


def test_no_message_of_qlearn_counts():
    @cache
    def reworded(name: str) -> str:
        source = source_of(name)
        if name.partition(".")[0] != "qlearn":
            return source
        return ast.unparse(Reworded().visit(ast.parse(source)))

    assert " indeed" in reworded("qlearn.checks.arguments")
    differing = [name for name in PROOFS if fingerprint(PROOFS[name], reworded) != now(name)]
    assert differing == []


def test_a_moved_and_renamed_function_outdates_nothing():
    metrics = source_of(METRICS)
    imports = metrics[: metrics.index("\ndef mse")]
    start, end = metrics.index("def mse"), metrics.index("def max_error")
    helpers = metrics[metrics.index("def _error") :]
    moved = (helpers + "\n\n" + metrics[start:end]).replace("_error", "difference_of")
    package = source_of("qlearn").replace(
        "from qlearn.numbers.metrics import clipped_share, max_error, mse,",
        "from qlearn.squared import mse\n"
        "from qlearn.numbers.metrics import clipped_share, max_error,",
    )
    assert "qlearn.squared" in package
    sources = {
        "qlearn": package,
        METRICS: metrics[:start] + metrics[end:],
        "qlearn.squared": imports + moved,
    }

    def read(name):
        return sources.get(name) or source_of(name)

    assert fingerprint(PROOFS[MSE], read) == fingerprint(PROOFS[MSE])
    sources["qlearn.squared"] = imports + moved.replace("mean()", "sum()")
    assert fingerprint(PROOFS[MSE], read) != fingerprint(PROOFS[MSE])


def code(source: str) -> dict[str, str]:
    return module_of(source).definitions


def test_what_only_makes_a_message_does_not_count():
    plain = code("def f(x):\n    if x:\n        raise ValueError\n    return x")
    wordy = '''
def f(x: int) -> int:
    """Return x, now and then."""
    if x:
        hint = "nothing"
        if x > 1:
            hint = "less"
        raise ValueError(f"{x} is too much: pass {hint}") from None
    return x  # as it is
'''
    assert code(wordy) == plain
    assert (
        code("def f(x):\n    if x:\n        log(x)\n        raise ValueError\n    return x")
        != plain
    )
    assert code("def f(x):\n    if x:\n        raise TypeError\n    return x") != plain


def test_text_given_to_a_check_counts_unless_it_is_words():
    assert code('def f(x):\n    check(x, "some words")') == code(
        'def f(x):\n    check(x, f"of {x}")'
    )
    assert code('def f(x):\n    check(x, "int8")') != code('def f(x):\n    check(x, "uint8")')
    assert code('def f(x):\n    return check(x, "a b")') != code(
        'def f(x):\n    return check(x, "c d")'
    )


def test_what_happens_at_import_counts_for_the_names_in_it():
    source = (
        "TABLE = {}\nTABLE[1] = 2\n\ndef f():\n    pass\n\nfor i in (1, 2):\n    f()\nOTHER = 1\n"
    )
    found = code(source)
    assert [found[name].count("\n") for name in ("TABLE", "f", "OTHER")] == [2, 2, 1]


def with_codes(text: str):
    """Return a reader of sources in which ``mse`` does something with the module of codes."""
    metrics = source_of(METRICS).replace(
        "import math", "import math\nfrom qlearn.numbers import quantize as codes\n"
    )
    metrics = with_line(metrics, "mse", f"used = {text}")
    return lambda name: metrics if name == METRICS else source_of(name)


def test_a_function_of_a_module_is_followed_and_a_whole_module_refused():
    read = with_codes("codes.dequantize")
    assert fingerprint(PROOFS[MSE], read) != fingerprint(PROOFS[MSE])
    changed = source_of("qlearn.numbers.quantize").replace("zero_point", "zero_points")
    assert fingerprint(PROOFS[MSE], read) != fingerprint(
        PROOFS[MSE], lambda name: changed if name == "qlearn.numbers.quantize" else read(name)
    )
    for whole in ("codes", "codes.unheard_of"):
        with pytest.raises(
            ValueError, match="qlearn.numbers.quantize is used as a whole.* import the names"
        ):
            fingerprint(PROOFS[MSE], with_codes(whole))


def test_an_empty_text_in_an_f_string_is_left_out():
    text = ast.parse("f'{x:.{n}f}'", mode="eval").body
    now = written(text)
    text.values.append(ast.Constant(""))
    text.values[0].format_spec.values.insert(0, ast.Constant(""))
    assert written(text) == now
