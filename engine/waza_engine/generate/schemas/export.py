"""The JSON Schemas of all file kinds and grader types, made from the models. They are committed in `schemas/`.

`waza-lsp schema export --out schemas` writes them; a test compares.
"""

import json
from pathlib import Path
from typing import Any

from waza_engine.analysis.schema.tolerance import Schema, widen
from waza_engine.generate.schemas.graders import config_schema, grader_types, with_graders
from waza_engine.generate.schemas.shape import finished, model_schema
from waza_engine.lib.files.safe_write import require_inside
from waza_engine.recognition.recognise import Dialect, dialects, load_object


def export() -> dict[str, Schema]:
    """All schemas by name: `eval`, `task`, `graders/text` ..."""
    return {name: schema for it in dialects() for name, schema in _of_dialect(it).items()}


def _of_dialect(dialect: Dialect) -> dict[str, Schema]:
    types = grader_types(dialect)
    found: dict[str, Schema] = {}
    for kind in dialect.kinds:
        schema = with_graders(model_schema(load_object(kind.model)), types, dialect.schema_folder)
        found[kind.schema] = finished(widen(schema))
    for type_name, kinds in types.items():
        page = {"x-page": kinds[0].page()}
        found[f"{dialect.schema_folder}graders/{type_name}"] = finished(
            widen({**config_schema(kinds), **page})
        )
    return found


def write(folder: Path) -> list[Path]:
    """Write all schemas below `folder`; the paths written.

    Raises:
        OSError: they cannot be written, or a link below the folder leads out of it.

    """
    wanted = {folder / f"{name}.schema.json": as_text(schema) for name, schema in export().items()}
    for path in wanted:
        require_inside(path, folder)
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return sorted(wanted)


def as_text(schema: dict[str, Any]) -> str:
    """The schema as its file has it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
