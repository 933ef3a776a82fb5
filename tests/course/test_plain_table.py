from __future__ import annotations

import pytest

from qlearn.course.plain_table import Table, mb, number


@pytest.mark.parametrize(
    ("value", "text"), [(0.0213, "0.021"), (3.94, "3.9"), (127.0, "130"), (1.0, "1"), (61.3, "61")]
)
def test_numbers_have_two_digits_that_count(value: float, text: str) -> None:
    assert number(value) == text


def test_bytes_are_megabytes_and_none_are_nothing() -> None:
    assert (mb(3_194_880), mb(0)) == ("3.2", "")


def test_a_table_is_lines_of_text_and_html_with_its_source() -> None:
    long = "RuntimeError: no kernel for <int4> on this processor"
    shown = Table(("", "speed", "said"), (("eager", "0.5", ""), ("frozen", "", long)), "where")
    lines = repr(shown).splitlines()
    assert lines[1].split() == ["eager", "0.5"] and lines[-1] == "where"
    html = shown._repr_html_()
    assert '<th scope="row">frozen</th>' in html and '<td class="number">0.5</td>' in html
    assert "&lt;int4&gt;" in html and "white-space: normal" in html
