"""The unknown keys of a file that its loader ignores, because `check` only warns about them."""

from collections.abc import Mapping
from typing import Any

from waza_engine.analysis.schema.checker import SchemaChecker
from waza_engine.analysis.schema.files import read_schema
from waza_engine.analysis.versions import adjust
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain_with_source
from waza_engine.model.findings import Severity
from waza_engine.recognition.recognise import kind_of
from waza_engine.rules.unknown_key import UNKNOWN_KEY


def tolerated_keys(dialect_name: str, kind_name: str, data: Mapping[str, Any]) -> list[Pointer]:
    """Return the unknown keys of a file that the newest version of the runner ignores with a warning."""
    kind = kind_of(dialect_name, kind_name)
    if kind is None or not kind.tolerates_unknown or kind.is_strict(data):
        return []
    found = SchemaChecker(read_schema(kind.schema)).check(plain_with_source(data))
    adjusted = (adjust(it, dialect_name, "") for it in found if it.rule is UNKNOWN_KEY)
    return [it.pointer for it in adjusted if it is not None and it.severity is not Severity.ERROR]


def without(data: Any, unknown: list[Pointer]) -> Any:
    """Return a value without some of its keys, at any depth."""
    if isinstance(data, dict):
        gone = {it[0] for it in unknown if len(it) == 1}
        kept = ((key, it) for key, it in data.items() if key not in gone)
        return {key: without(it, [way[1:] for way in unknown if way[0] == key]) for key, it in kept}
    if isinstance(data, list) and any(unknown):
        return [
            without(it, [way[1:] for way in unknown if way[:1] == (index,)]) for index, it in enumerate(data)
        ]
    return data
