"""The committed JSON Schemas, read as files: the language server starts without pydantic.

A wheel has them inside the package, a checkout keeps them in `schemas/` at the top.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

_SUFFIX = ".schema.json"
_PLUG_INS = "waza_lsp.graders"
"""The entry point group of grader types from other distributions (`graders/registry.py`)."""


@cache
def schema_folder() -> Path:
    """Where the schemas lie in this installation."""
    package = Path(__file__).parent
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parents[1] / "schemas"


def schema_names() -> list[str]:
    """All names that `read_schema` takes: `eval`, `task`, `graders/text` ..."""
    return sorted(_names(schema_folder(), ""))


def _names(folder: Path, prefix: str) -> list[str]:
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
    # Asked once: it looks through everything that is installed. `importlib.metadata` knows better, and takes longer to
    # import than all schemas to read: it is asked where the name of the group is found at all.
    group = f"[{_PLUG_INS}]"
    if not any(group in text for text in _declared_entry_points()):
        return False
    from importlib.metadata import entry_points

    return bool(entry_points(group=_PLUG_INS))


def _declared_entry_points() -> Iterator[str]:
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder or "."):
                if entry.name.endswith((".dist-info", ".egg-info")):
                    with contextlib.suppress(OSError, UnicodeDecodeError):
                        yield Path(entry.path, "entry_points.txt").read_text(encoding="utf-8")


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
        text = schema_folder().joinpath(f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    except OSError as error:
        raise KeyError(name) from error
    schema: dict[str, Any] = json.loads(text)
    return schema
