"""JSON Schema as waza's validator understands it (docs/reference/waza-graders.md, sections 5.5 and 13.9).

References and metaschemas come from `referencing` and `jsonschema`; the keywords are evaluated here, because waza
differs where it matters: patterns are RE2, `multipleOf` is exact, formats count in old drafts only, everything is
compiled before anything is validated, and an endless reference is a failure.
"""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.json_schema.errors import SchemaError, UnknownFileError
from waza_engine.noted_reads import noting

if TYPE_CHECKING:
    from waza_engine.json_schema.compiled import CompiledSchema

__all__ = ["SchemaError", "UnknownFileError", "compile_schema", "schema_documents"]


def compile_schema(schema: Any, base_dir: Path | None, *, within: bool = False) -> "CompiledSchema":
    """Compile `schema`; relative references start from `base_dir`, and stay below it if they have to be `within` it.

    Raises:
        UnknownFileError: it refers to a file and `base_dir` is None, or to one that is not to be read.
        SchemaError: it is not valid, a pattern is not RE2, or a reference leads nowhere.

    """
    # Few evals bring a schema along, and what checks one takes longer to import than all graders.
    from waza_engine.json_schema.compiled import CompiledSchema

    return CompiledSchema.of(schema, base_dir, within=within)


def schema_documents(schema: Any, base_dir: Path) -> frozenset[Path]:
    """The files that `schema` reaches, also one that is not there; for a schema that does not compile those up to that."""
    with noting() as seen, contextlib.suppress(SchemaError):
        compile_schema(schema, base_dir)
    return frozenset(seen.paths)
