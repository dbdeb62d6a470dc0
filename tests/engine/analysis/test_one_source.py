"""A grader's type and options are written in its own file: whoever else wants to know asks the class."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import waza_engine
import waza_lsp
from waza_engine.dialects.vally.formats.eval import EvalFile as VallyEvalFile
from waza_engine.dialects.waza.dialect import DIALECT
from waza_engine.dialects.waza.formats.eval import EvalFile
from waza_engine.dialects.waza.formats.project import ProjectFile
from waza_engine.dialects.waza.formats.task import TaskFile
from waza_engine.dialects.waza.formats.triggers import TriggersFile
from waza_engine.dialects.waza.generations.meanings import older_graders
from waza_engine.graders.registry import graders
from waza_engine.runs.planning.plan import Overrides

ENGINE, SERVER = Path(waza_engine.__file__).parent, Path(waza_lsp.__file__).parent
CLASSES = [*graders("waza").values(), *older_graders().values()]


def _options(annotation: Any, seen: set[type]) -> Iterator[str]:
    """The names of all fields of a model, and of the models within it."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in seen:
        seen.add(annotation)
        for name, info in annotation.model_fields.items():
            yield info.alias or name
            yield from _options(info.annotation, seen)
    for part in get_args(annotation):
        yield from _options(part, seen)


TYPES = {it.type_name for it in CLASSES}
OPTIONS = {name for it in CLASSES for name in _options(it, set())}
_FILES = (EvalFile, TaskFile, ProjectFile, TriggersFile, VallyEvalFile)
FILE_KEYS = {name for it in _FILES for name in _options(it, set())}


def _typed(path: Path, names: set[str]) -> list[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [it for it in nodes if isinstance(it, ast.Constant) and isinstance(it.value, str)]
    return [f"{path.name}:{it.lineno}: {it.value}" for it in found if it.value in names]


def test_the_rules_name_no_grader_type_and_no_option() -> None:
    names = (TYPES | OPTIONS) - FILE_KEYS
    assert [it for path in (ENGINE / "rules").rglob("*.py") for it in _typed(path, names)] == []


@pytest.mark.parametrize(
    "folder",
    [ENGINE / "analysis", ENGINE / "recognition", ENGINE / "project", SERVER],
    ids=lambda it: it.name,
)
def test_others_name_no_grader_type_and_no_option(folder: Path) -> None:
    # Names of one word, such as "text" and "tool", mean other things there; some options belong to runs, too.
    names = {it for it in (TYPES | OPTIONS) - FILE_KEYS - {it.name for it in fields(Overrides)} if "_" in it}
    files = [*folder.rglob("*.py")]
    assert files
    assert [it for path in files for it in _typed(path, names)] == []


def test_files_are_recognised_by_every_grader_type() -> None:
    """The list stands a second time for the cold start: without pydantic no grader file can be asked."""
    shapes = [it for kind in DIALECT.kinds for key, it in kind.shapes.items() if key == "graders"]
    assert shapes
    assert {frozenset(it.types) for it in shapes} == {frozenset(TYPES)}
