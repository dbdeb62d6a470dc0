"""The committed JSON Schemas, read as files: the language server starts without pydantic.

A wheel has them inside the package, a checkout keeps them in `schemas/` at the top.
"""

import json
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_SUFFIX = ".schema.json"
_PLUG_INS = "waza_lsp.graders"
"""The entry point group of grader types from other distributions (`graders/registry.py`)."""


@cache
def schema_folder() -> Traversable:
    """Where the schemas lie in this installation."""
    package = files("waza_engine")
    inside = package / "schemas"
    return inside if inside.is_dir() else package / ".." / ".." / "schemas"


def schema_names() -> list[str]:
    """All names that `read_schema` takes: `eval`, `task`, `graders/text` ..."""
    return sorted(_names(schema_folder(), ""))


def _names(folder: Traversable, prefix: str) -> list[str]:
    found: list[str] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _names(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            found.append(prefix + entry.name.removesuffix(_SUFFIX))
    return found


def read_schema(name: str) -> dict[str, Any]:
    """The schema called `name` in our own plain words, for features and checks.

    Raises:
        KeyError: there is no such schema.

    """
    schema = published_schema(name)
    if not schema.get("x-widened"):
        return schema
    # Imported late: most schemas are published as they are.
    from waza_engine.schemas_tolerance import narrowed

    return narrowed(schema)


@cache
def _has_plug_ins() -> bool:
    # Asked once: it looks through everything that is installed.
    return bool(entry_points(group=_PLUG_INS))


def published_schema(name: str) -> dict[str, Any]:
    """The schema called `name` as other tools read it; made anew where grader types of plug-ins belong into it.

    Raises:
        KeyError: there is no such schema.

    """
    if _has_plug_ins():
        # Imported late: it brings pydantic and all grader types, which a server without plug-ins starts without.
        from waza_engine.schemas_export import export

        made: dict[str, Any] = export()[name]
        return made
    try:
        text = schema_folder().joinpath(*f"{name}{_SUFFIX}".split("/")).read_text(encoding="utf-8")
    except OSError as error:
        raise KeyError(name) from error
    schema: dict[str, Any] = json.loads(text)
    return schema
