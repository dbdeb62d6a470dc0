"""A dialect is a folder: nothing outside of it compares its name, or that of a generation, or imports its code.

What the engine wants to know of a dialect it asks through the fields of `Dialect`. Only `convert` and the generators of
schemas and pages may know dialects by name: they turn one into another, or describe all of them.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from waza_engine.recognition.recognise import dialects, load_object, meanings

ROOT = Path(__file__).parents[1]
MAY_KNOW = ("waza_engine.convert", "waza_engine.generate")
NAMES = frozenset(["G2", *(it.name for it in dialects()), *meanings()])
ONLY_WORDS = {
    (
        "waza_engine.model.suite",
        "waza",
    ): "the default of a field: entries made by hand are of the default dialect",
    ("waza_lsp.server.settings", "waza"): "the section of our own settings in the editor",
    ("waza_lsp.server.handlers.notifications", "waza"): "the section of our own settings in the editor",
}
"""Strings that are equal to the name of a dialect, and mean something else."""


def _modules() -> Iterator[tuple[str, Path]]:
    for folder in (ROOT / "engine" / "waza_engine", ROOT / "waza_lsp"):
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


@cache
def _owner(module: str) -> str:
    """The dialect that a module is of; empty for all others."""
    if found := re.match(r"waza_engine\.dialects\.(\w+)", module):
        return found[1]
    return ""


def _documented(tree: ast.AST) -> set[ast.AST]:
    """The strings that are docstrings or stand alone behind what they describe."""
    return {it.value for it in ast.walk(tree) if isinstance(it, ast.Expr)}


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{it.name}" for it in node.names)]
    if isinstance(node, ast.Import):
        return [it.name for it in node.names]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value.partition(":")[0]] if node.value.startswith("waza_engine.") else []
    return []


def _foreign(module: str, source: str) -> Iterator[str]:
    """What a module must not know: code of a dialect that it is not of, and names of dialects outside of one."""
    own = _owner(module)
    tree = ast.parse(source)
    documented = _documented(tree)
    for node in ast.walk(tree):
        if node in documented:
            continue
        if others := {_owner(it) for it in _imported(node)} - {"", own}:
            yield f"{module}:{getattr(node, 'lineno', 0)} knows code of {', '.join(sorted(others))}"
        named = node.value if isinstance(node, ast.Constant) and not own else None
        if named in NAMES and (module, named) not in ONLY_WORDS:
            yield f"{module}:{getattr(node, 'lineno', 0)} knows the name '{named}'"


def test_nothing_outside_knows_a_dialect() -> None:
    found = [
        it
        for module, path in _modules()
        if not module.startswith(MAY_KNOW)
        for it in _foreign(module, path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "if document.dialect == 'vally': ...",
        "KINDS = {'waza': 1}",
        "match name:\n    case 'G1': ...",
        "from waza_engine.dialects.vally.formats.load import load_suite",
        "from waza_engine.dialects import waza",
        "def late():\n    import waza_engine.dialects.vally.dialect",
        "LOADER = 'waza_engine.dialects.waza.dialect:DIALECT'",
    ],
)
def test_it_would_be_found(source: str) -> None:
    assert list(_foreign("waza_engine.runs.made_up", source))


def test_the_exceptions_are_needed() -> None:
    sources = dict(_modules())
    for module, name in ONLY_WORDS:
        assert re.search(f"[\"']{name}[\"']", sources[module].read_text("utf-8")), module


def test_the_callables_of_each_dialect_exist() -> None:
    for dialect in dialects():
        for name in dialect.__slots__:
            value = getattr(dialect, name)
            if (
                isinstance(value, str)
                and ":" in value
                and name not in {"releases", "starters", "check_templates"}
            ):
                assert callable(load_object(value)), f"{dialect.name}.{name}"


def test_each_kind_says_what_its_schema_says() -> None:
    from waza_engine.analysis.schema.files import read_schema

    for kind in (it for dialect in dialects() for it in dialect.kinds):
        assert kind.runnable == read_schema(kind.schema).get("x-runnable", ""), kind.name
