"""Prose is easy to read: sentences of pages, help texts, messages and settings are short."""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from tests import prose
from tests.prose import Sentence
from waza_lsp.cli import main

ROOT = Path(__file__).parents[1]
_MOST_WORDS, _MEAN_WORDS = 35, 18
_LEAST_WORDS = 4
"""Shorter pieces are labels, and would only lower the mean."""
_NO_PROSE = {"javascript.py": "keywords of a language", "names.py": "names that assertions can use"}
"""Modules whose longest literals are no sentences."""


def _pages() -> Iterator[Sentence]:
    pages = [ROOT / "README.md"]
    pages += (it for folder in ("docs", "examples", "skills") for it in (ROOT / folder).rglob("*.md"))
    pages += [
        *(ROOT / "editor-client").glob("*/README.md"),
        *(ROOT / "editor-client/vscode/media").glob("*.md"),
    ]
    for page in pages:
        yield from prose.of_markdown(page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8"))


def _helps(command: click.Command = main, name: str = "waza-lsp") -> Iterator[Sentence]:
    yield from prose.of_help(name, command.help or "")
    for it in command.params:
        yield from prose.of_text(f"{name} {it.opts[0]}", getattr(it, "help", None) or "")
    if isinstance(command, click.Group):
        context = click.Context(command)
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _helps(found, f"{name} {below}")


def _messages() -> Iterator[Sentence]:
    """Messages, and the descriptions of keys, which hovers show."""
    for folder in ("engine/waza_engine", "waza_lsp"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.name not in _NO_PROSE:
                where = path.relative_to(ROOT).as_posix()
                yield from prose.of_code(where, path.read_text(encoding="utf-8"))


def _settings() -> Iterator[Sentence]:
    package = ROOT / "editor-client/vscode/package.json"
    for text in _texts(json.loads(package.read_text(encoding="utf-8"))):
        yield from prose.of_text(package.name, text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for it in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(it)


@pytest.mark.parametrize("source", [_pages, _helps, _messages, _settings], ids=lambda it: it.__name__)
def test_sentences_are_short(source: Any) -> None:
    sentences = [it for it in source() if it.words >= _LEAST_WORDS]
    assert len(sentences) > 100
    assert [f"{it.where}: {it.words} words: {it.text}" for it in sentences if it.words > _MOST_WORDS] == []
    assert statistics.mean(it.words for it in sentences) <= _MEAN_WORDS


def test_sentences_are_found() -> None:
    page = "# A title\n\nOne `a b` thing. waza does\nit ... too.\n- an [item](x.md)\n\n| a cell | another |\n```\nno\n```\n"
    assert [it.text for it in prose.of_markdown("", page)] == [
        "A title",
        "One Code thing.",
        "waza does it ... too.",
        "an item",
        "a cell",
        "another",
    ]
    assert [it.words for it in prose.of_markdown("", page)] == [2, 3, 4, 2, 2, 1]
    code = '"""Doc."""\ncall(f"Key {a} is not known. Did you mean {b}?", "x")\n'
    assert [it.text for it in prose.of_code("", code)] == ["Key X is not known.", "Did you mean X?"]
