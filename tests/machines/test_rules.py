"""The rules that refuse what the runs on other machines may happen not to show."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from machines import rules


def notebook(source="x = 1", printed="", tags=()):
    outputs = [new_output("stream", name="stdout", text=printed)] if printed else []
    return new_notebook(
        cells=[new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})]
    )


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_a_good_notebook_keeps(rule):
    good = notebook(
        "x = normal(64, generator=g)\nengine = use_engine()", "-1,234.56 0.1234 200000\n"
    )
    assert list(rule(good)) == []


@pytest.mark.parametrize(
    "source",
    [
        "torch.randn(3, generator=g)",
        "torch.randn_like(x)",
        "draw = torch.randn",
        "torch.normal(0.0, 1.0, (3,))",
        "x.normal_()",
        "torch.nn.init.kaiming_normal_(weight)",
        "x.exponential_()",
        "torch.distributions.Normal(0.0, 1.0).sample()",
        "numpy.random.default_rng(0).standard_normal(3)",
        "numpy.random.default_rng(0).normal(size=3)",
        "random.gauss(0, 1)",
    ],
)
def test_normal_numbers_from_elsewhere_are_seen(source):
    assert "use normal of qlearn.course" in next(
        rules.draws_are_the_same_everywhere(notebook(source))
    )


@pytest.mark.parametrize(
    "source",
    [
        'torch.backends.quantized.engine = "fbgemm"',
        'torch.backends.quantized.engine = "none"',
        'quantized.engine = "fbgemm"',
        'setattr(torch.backends.quantized, "engine", "fbgemm")',
        "torch._C._set_qengine(1)",
        "engines = torch.backends.quantized.supported_engines",
    ],
)
def test_an_engine_that_nobody_tried_is_seen(source):
    assert "qlearn.machine try" in next(rules.engines_are_tried(notebook(source)))


@pytest.mark.parametrize(
    "source",
    [
        "small = quantize_dynamic(model)",
        "quietly(tq.quantize_dynamic, model)",
        "integer = tq.convert(prepared)",
        "packed = torch.ops.quantized.linear_prepack(weight, None)",
    ],
)
def test_weights_packed_for_no_engine_are_seen(source):
    made = notebook(source)
    assert "no cell before it use_engine" in next(rules.engines_are_chosen(made))
    made.cells.insert(0, new_code_cell("engine = use_engine()"))
    assert list(rules.engines_are_chosen(made)) == []
    made.cells.reverse()
    assert len(list(rules.engines_are_chosen(made))) == 1


def test_an_import_or_a_sentence_packs_nothing():
    source = "from torch.ao.quantization import quantize_dynamic\nprint('quantize_dynamic')"
    assert list(rules.engines_are_chosen(notebook(source))) == []


def test_asking_for_the_engine_is_allowed():
    asking = "print(torch.backends.quantized.engine == engine)"
    assert list(rules.engines_are_tried(notebook(asking))) == []


@pytest.mark.parametrize(
    "number", ["4.1014933586120605", "-0.01608428", "2,550.6381", "1.234567e-09"]
)
def test_too_many_digits_are_seen(number):
    said = list(rules.digits_hold(notebook(printed=f"it is {number} here\n")))
    assert len(said) == 1 and number in said[0]
    assert list(rules.digits_hold(notebook(printed=number, tags=["exact-digits"]))) == []


@pytest.mark.parametrize("end", [".", ". And", " dB", "dB", "x", "e", ")", "°"])
def test_what_follows_a_number_hides_no_digits(end):
    said = list(rules.digits_hold(notebook(printed=f"it is 4.10149335{end}\n")))
    assert len(said) == 1 and "prints 4.10149335:" in said[0]


@pytest.mark.parametrize(
    "number", ["0.99609375", "1.1920928955078125e-07", "1.23456.", "12345678", "2.13.1234567"]
)
def test_exact_and_short_numbers_are_let_through(number):
    assert list(rules.digits_hold(notebook(printed=f"{number}\n"))) == []


def test_a_mark_without_a_reason_is_seen():
    assert "has the mark weather" in next(
        rules.marks_have_reasons(notebook(tags=["machine-weather"]))
    )
    assert list(rules.marks_have_reasons(notebook(tags=["machine-kernel"]))) == []
