"""Reads the committed JSON Schemas from files, so that the language server starts without pydantic.

A wheel contains them inside the package; a checkout has them in `schemas/` at the top.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from waza_engine.plugins import has_plugins, schemas_with_plugins

_SUFFIX = ".schema.json"


@cache
def schema_folder() -> Path:
    """Return the folder of the schemas in this installation."""
    package = Path(__file__).parents[2]
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parents[1] / "schemas"


def schema_names() -> list[str]:
    """Return all names that `read_schema` takes: `eval`, `task`, `graders/text` ..."""
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
    """Return the schema called `name` as our features and checks use it.

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
    """Return the schema called `name` as other tools read it; generated again if there are plug-ins.

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
