"""JSON Schema as waza's validator understands it (waza-graders.md, sections 5.5 and 13.9).

References and metaschemas come from `referencing` and `jsonschema`; the keywords are evaluated here, because waza
differs where it matters: patterns are RE2, `multipleOf` is exact, formats count in old drafts only, everything is
compiled before anything is validated, and an endless reference is a failure.
"""

from waza_engine.json_schema.compiled import CompiledSchema, compile_schema
from waza_engine.json_schema.sources import SchemaError, UnknownFileError

__all__ = ["CompiledSchema", "SchemaError", "UnknownFileError", "compile_schema"]
