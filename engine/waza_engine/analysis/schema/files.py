"""The committed JSON Schemas, read as files: the language server starts without pydantic.

A wheel has them inside the package, a checkout keeps them in `schemas/` at the top.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from waza_engine.plugins import has_plugins, schemas_with_plugins

_SUFFIX = ".schema.json"


@cache
def schema_folder() -> Path:
    """Where the schemas lie in this installation."""
    package = Path(__file__).parents[2]
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
    from waza_engine.analysis.schema.tolerance import unwiden

    return unwiden(schema)


def published_schema(name: str) -> dict[str, Any]:
    """The schema called `name` as other tools read it; made anew where plug-ins have something to add.

    Raises:
        KeyError: there is no such schema.

    """
    if has_plugins():
        return schemas_with_plugins()[name]
    try:
        text = schema_folder().joinpath(f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    except OSError as error:
        raise KeyError(name) from error
    schema: dict[str, Any] = json.loads(text)
    return schema
