"""JSON Schema as waza's validator evaluates it (docs/reference/waza-graders.md, sections 5.5 and 13.9).

The keywords come from `jsonschema`. Only those are replaced that waza treats otherwise: patterns are RE2, `multipleOf`
is exact, `format` counts in old drafts only. All errors of a schema are found before a value is validated.
"""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.lib.json_schema.errors import SchemaError, UnknownFileError
from waza_engine.lib.queries.tracking import track_reads

if TYPE_CHECKING:
    from waza_engine.lib.json_schema.compiled import CompiledSchema


__all__ = ["SchemaError", "UnknownFileError", "compile_schema", "schema_documents"]


def compile_schema(schema: Any, base_dir: Path | None, *, within: bool = False) -> "CompiledSchema":
    """Compile `schema`. Relative references start from `base_dir`; `within` refuses files outside of it.

    Raises:
        UnknownFileError: the schema refers to a file, and `base_dir` is None or the file must not be read.
        SchemaError: the schema is not valid, a pattern is not RE2, or a reference cannot be resolved.

    """
    # Imported late: few evals contain a schema, and `jsonschema` takes longer to import than all graders.
    from waza_engine.lib.json_schema.compiled import CompiledSchema

    return CompiledSchema.of(schema, base_dir, within=within)


def schema_documents(schema: Any, base_dir: Path) -> frozenset[Path]:
    """Return the files that `schema` refers to, missing ones included; up to its first error if it does not compile."""
    with track_reads() as seen, contextlib.suppress(SchemaError):
        compile_schema(schema, base_dir)
    return frozenset(seen.paths)
