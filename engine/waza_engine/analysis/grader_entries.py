"""Checks one grader entry with its grader type, for the editor and `waza-lsp check`."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import read_entry
from waza_engine.graders.registry import current_grader, find_grader
from waza_engine.lib.yaml.scalars import Scalar, plain
from waza_engine.model.findings import Finding, Fix, InsertKey, Rule, Scope
from waza_engine.model.placeholders import has_placeholder
from waza_engine.model.pydantic_messages import UNKNOWN_KEY
from waza_engine.recognition.recognise import dialect
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.refused_config import REFUSED_CONFIG
from waza_engine.rules.wrong_type import WRONG_TYPE


def check_raw(dialect_name: str, entry: Mapping[str, Any]) -> list[Finding]:
    """Return what the entry's type finds in a config that may be invalid; pointers start at the entry."""
    kind, config = current_grader(dialect_name, str(entry.get("type"))), entry.get("config")
    if kind is None or not isinstance(config, Mapping):
        return []
    return [it.below(("config",)) for it in kind.check_raw(config)]


def _is_left_blank(config: Any) -> bool:
    """Whether nothing follows `config:`. A written `null` or `~` counts as no `config`.

    See docs/reference/waza-graders.md, section 13.1.
    """
    return isinstance(config, Scalar) and not config.source


def check_entry(dialect_name: str, entry: Mapping[str, Any], scope: Scope) -> list[Finding]:
    """Return the findings of the entry's type; pointers start at the entry.

    The entry must be valid by the schema of its file. For an unknown type there are no findings.
    """
    type_name = str(entry.get("type"))
    # The config may be in a form that an older version of the type had.
    kind = find_grader(type_name, dialect_name, entry.get("config"))
    if kind is None:
        return []
    if dialect(dialect_name).refuses_blank_config and _is_left_blank(entry.get("config")):
        message = f"'config' is empty, and {dialect_name} cannot load that. Add options, or remove the key"
        option = next(iter(kind.model_fields))
        fix = Fix(f"Add '{option}'", (InsertKey(("config",), option, None),))
        return [EMPTY_VALUE.at(("config",), message, on="key", refused=True, fixes=[fix])]
    try:
        grader = read_entry(entry, dialect_name, "task").configure(kind)
    except ConfigError as error:
        # The notice about an old type does not explain why that type itself refuses the config.
        rule = REFUSED_CONFIG if current_grader(dialect_name, type_name) else WRONG_TYPE
        return [*_config_findings(entry, error, rule)]
    refusals = [*grader.refusals(scope)]
    # A plug-in may yield the same refusal from both methods.
    remarks = (it for it in grader.check(scope) if it not in refusals)
    return [it.below(("config",)) for it in (*refusals, *remarks)]


def _config_findings(entry: Mapping[str, Any], error: ConfigError, rule: Rule) -> Iterator[Finding]:
    """Report what the type refuses, unless a placeholder may become a valid value.

    Missing keys are not reported: the schema reports them, or they are a cascade of another key's error.
    """
    value: Any = entry
    try:
        for part in error.pointer:
            value = value[part]
    except (LookupError, TypeError):
        return
    if not has_placeholder(str(plain(value))):
        problem = f"{error.problem[0].upper()}{error.problem[1:]}"
        if error.problem == UNKNOWN_KEY:  # An old key without a value: the schema reports all others.
            yield rule.at(error.pointer, f"{problem} '{error.pointer[-1]}'", on="key", refused=True)
        else:
            yield rule.at(error.pointer, problem, refused=True)
