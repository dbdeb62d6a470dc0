"""Test that the generated pages are current and complete, with working examples."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waza_engine.generate.pages import all_pages, rules_with_pages
from waza_engine.generate.schemas.graders import grader_types
from waza_engine.graders.base import Grader
from waza_engine.graders.entry import read_entry
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.recognition.recognise import dialects, releases

DOCS = Path(__file__).parents[3] / "docs"
COMMAND = "run: python -m waza_engine.generate.pages"
ALL_RULES = sorted(Path(__file__).parents[3].glob("engine/waza_engine/**/rules/[a-z]*.py"))


def test_the_committed_pages_are_those_of_the_code() -> None:
    made = all_pages()
    committed = {
        it.relative_to(DOCS).as_posix(): it.read_text("utf-8")
        for part in ("graders", "releases", "rules")
        for it in (DOCS / part).rglob("*.md")
    }
    assert sorted(committed) == sorted(made), COMMAND
    stale = [name for name, text in made.items() if committed[name] != text]
    assert not stale, COMMAND


def _classes() -> Iterator[Any]:
    for dialect in dialects():
        for type_name, kinds in grader_types(dialect).items():
            for kind in kinds:
                yield pytest.param(kind, dialect.name, id=f"{dialect.name}-{type_name}-{kind.__module__}")


@pytest.mark.parametrize(("kind", "dialect"), list(_classes()))
def test_the_example_of_a_grader_page_loads(kind: type[Grader], dialect: str) -> None:
    _, found, example = kind.page().partition("## Example")
    assert found, "the page has no example"
    blocks = re.findall(r"```yaml\n(.*?)```", example.partition("\n## ")[0], flags=re.DOTALL)
    assert blocks, "the example is no YAML"
    for block in blocks:
        data = read_yaml(block)
        assert data["type"] == kind.type_name
        read_entry(data, dialect, "eval").configure(kind)


def test_a_page_has_the_options_of_its_type() -> None:
    page = all_pages()["graders/text.md"]
    assert (
        "| `contains_cs` | list of strings |  | Strings that must appear in the output (case-sensitive)."
        in page
    )
    assert page.index("## Score") < page.index("## Options") < page.index("## Example")


def test_a_type_with_an_older_meaning_has_both_on_its_page() -> None:
    page = all_pages()["graders/tool_calls.md"]
    assert "## In files of waza's Python version (to 0.3)" in page
    assert "| `required` | list of strings or mappings |" in page


def test_every_rule_file_has_a_page() -> None:
    files = {it.stem for it in ALL_RULES}
    with_pages = {module.__name__.rpartition(".")[2] for _, module in rules_with_pages()}
    assert with_pages == files, "a rule's file has the name of its code"


def test_a_page_of_releases_lists_every_dated_fact() -> None:
    page = all_pages()["releases/vally.md"]
    assert "## 0.17.0 (2026-09-23)" in page
    assert page.index("## 0.19.0") < page.index("## 0.18.0")
    assert (
        "| refused | unknown keys of `stimuli[]` (eval) | ignore it | vally refuses unknown keys of a stimulus since 0.17; "
        "older versions ignored them. |" in page
    )
    assert "| probably refused | `config` (eval) | accept it | Rename it to `defaults`. |" in page
    assert "| new | `scoring.timeout` (eval) | ignore it |" in page
    assert "| new | `config.group_by` (eval) with `tags` | ignore it |" in all_pages()["releases/waza.md"]
    for dialect in dialects():
        dated = {it for fact in releases(dialect.name).facts for it in fact.versions}
        text = all_pages().get(f"releases/{dialect.name}.md", "")
        assert all(f"## {it}" in text for it in dated)
