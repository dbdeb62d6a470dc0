"""What a grader type says about an entry before anything runs: the door of the editor and of `check`."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import read_entry
from waza_engine.graders.registry import graders
from waza_engine.lib.yaml.scalars import Scalar, plain
from waza_engine.model.findings import Finding, Fix, InsertKey, Scope
from waza_engine.model.placeholders import has_placeholder
from waza_engine.model.pydantic_messages import UNKNOWN_KEY
from waza_engine.recognition.recognise import dialect
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.refused_config import REFUSED_CONFIG


def check_raw(dialect_name: str, entry: Mapping[str, Any]) -> list[Finding]:
    """What the entry's own type says about its config however broken it is, pointing into the entry."""
    kind, config = graders(dialect_name).get(str(entry.get("type"))), entry.get("config")
    if kind is None or not isinstance(config, Mapping):
        return []
    return [it.below(("config",)) for it in kind.check_raw(config)]


def _is_left_blank(config: Any) -> bool:
    """Whether there is nothing behind `config:`; `null` and `~` are as good as no `config`.

    See docs/reference/waza-graders.md, section 13.1.
    """
    return isinstance(config, Scalar) and not config.source


def check_entry(dialect_name: str, entry: Mapping[str, Any], scope: Scope) -> list[Finding]:
    """Findings of the entry's own type, pointing into the entry.

    It is for entries that the schema of their file has nothing against. One of an unknown type has none.
    """
    kind = graders(dialect_name).get(str(entry.get("type")))
    if kind is None:
        return []
    if dialect(dialect_name).refuses_blank_config and _is_left_blank(entry.get("config")):
        message = f"{dialect_name} cannot load an empty 'config'; give options, or leave the key out"
        option = next(iter(kind.model_fields))
        fix = Fix(f"Add '{option}'", (InsertKey(("config",), option, None),))
        return [EMPTY_VALUE.at(("config",), message, on="key", refused=True, fixes=[fix])]
    try:
        grader = read_entry(entry, dialect_name, "task").configure(kind)
    except ConfigError as error:
        return [*_refused(entry, error)]
    refusals = [*grader.refusals(scope)]
    # A plug-in may yield a refusal from both.
    remarks = (it for it in grader.check(scope) if it not in refusals)
    return [it.below(("config",)) for it in (*refusals, *remarks)]


def _refused(entry: Mapping[str, Any], error: ConfigError) -> Iterator[Finding]:
    """What the type refuses, except where a placeholder may yet become what it wants.

    That a key is missing is said by the schema, or is a consequence of what it said of another key.
    """
    value: Any = entry
    try:
        for part in error.pointer:
            value = value[part]
    except (LookupError, TypeError):
        return
    if not has_placeholder(str(plain(value))):
        problem = f"{error.problem[0].upper()}{error.problem[1:]}"
        if error.problem == UNKNOWN_KEY:  # An older one that has no value: the schema knows all others.
            yield REFUSED_CONFIG.at(error.pointer, f"{problem} '{error.pointer[-1]}'", on="key", refused=True)
        else:
            yield REFUSED_CONFIG.at(error.pointer, problem, refused=True)
