"""Generate the JSON Schemas of all file kinds and grader types from the models.

`waza-lsp schema export --out schemas` writes them to `schemas/`, which is committed; a test checks that it is current.
"""

import json
from pathlib import Path
from typing import Any

from waza_engine.analysis.schema.tolerance import Schema, widen
from waza_engine.generate.schemas.graders import config_schema, grader_types, with_graders
from waza_engine.generate.schemas.manual import Manual
from waza_engine.generate.schemas.shape import finish_schema, model_schema
from waza_engine.generate.schemas.versions import require_places, with_facts
from waza_engine.lib.files.safe_write import require_inside
from waza_engine.recognition.recognise import Dialect, dialects, load_object


def export() -> dict[str, Schema]:
    """Return all schemas by name: `eval`, `task`, `graders/text` ..."""
    return {name: schema for it in dialects() for name, schema in _dialect_schemas(it).items()}


def _dialect_schemas(dialect: Dialect) -> dict[str, Schema]:
    types = grader_types(dialect)
    found: dict[str, Schema] = {}
    plain = file_schemas(dialect)
    manual = Manual(dialect, plain)
    for name, schema in plain.items():
        found[name] = finish_schema(widen(manual.marked(schema)))
    for type_name, kinds in types.items():
        page = {"x-page": kinds[0].page()}
        found[f"{dialect.schema_folder}graders/{type_name}"] = finish_schema(
            widen({**config_schema(kinds, dialect.name), **page})
        )
    require_places(dialect.name, found)
    return found


def file_schemas(dialect: Dialect) -> dict[str, Schema]:
    """Return the schema of each kind of file as our own checks need it, with the dates of the dialect's table."""
    types = grader_types(dialect)
    return {
        kind.schema: with_facts(
            with_graders(model_schema(load_object(kind.model)), types, dialect), dialect.name, kind
        )
        for kind in dialect.kinds
    }


def write(folder: Path) -> list[Path]:
    """Write all schemas to `folder`, and return their paths.

    Raises:
        OSError: a file cannot be written, or a link leads out of the folder.

    """
    texts = {folder / f"{name}.schema.json": as_text(schema) for name, schema in export().items()}
    for path in texts:
        require_inside(path, folder)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return sorted(texts)


def as_text(schema: dict[str, Any]) -> str:
    """Return the text of a schema's file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
