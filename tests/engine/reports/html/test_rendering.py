"""What all templates have in common."""

import re

import pytest
from jinja2 import UndefinedError

from waza_engine.reports.html.history import History
from waza_engine.reports.html.rendering import environment, render

TEMPLATES = sorted(environment().list_templates())


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_escape_and_load_nothing(name: str) -> None:
    loader = environment().loader
    assert loader is not None
    source, _, _ = loader.get_source(environment(), name)
    assert not re.search(r"\|\s*safe\b|autoescape|tojson|xmlattr", source)
    assert not re.search(r"<script|\bsrc=|url\(|@import|https?:|\son\w+=", source)
    environment().get_template(name)


def test_values_are_escaped() -> None:
    chunks = list(render("history.html.j2", title="<b>\"&'", history=History.of([])))
    assert {type(it) for it in chunks} == {str}
    page = "".join(chunks)
    assert "<title>&lt;b&gt;&#34;&amp;&#39;</title>" in page


def test_a_value_that_a_template_does_not_get_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        list(render("history.html.j2", title="x"))


def test_a_long_text_keeps_its_end() -> None:
    cut = environment().filters["cut"]
    assert cut("a" * 100, 100) == "a" * 100
    assert (
        cut("a" * 100 + "b" * 100 + "c" * 100, 100)
        == f"{'a' * 25}\n... (200 characters folded) ...\n{'c' * 75}"
    )
