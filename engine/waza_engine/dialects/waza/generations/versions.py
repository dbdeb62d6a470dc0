"""How bad a finding is for the version of waza that a project uses.

See docs/reference/waza-formats.md, sections 1, 11 and 20.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from waza_engine.analysis.schema.messages import LEGACY_SHAPE
from waza_engine.dialects.waza.rules.injected_skill_body import INJECTED_SKILL_BODY
from waza_engine.model.findings import Finding, Severity
from waza_engine.project.settings import is_newer
from waza_engine.rules.out_of_range import OUT_OF_RANGE
from waza_engine.rules.unknown_key import UNKNOWN_KEY


class _Change(NamedTuple):
    """What versions before `since` make of a finding: another severity, None for nothing at all."""

    is_about: Callable[[Finding], bool]
    since: str
    before: Severity | None
    because: str = ""


_CHANGES = (
    _Change(
        lambda it: it.rule is UNKNOWN_KEY, "0.24", Severity.WARNING, "waza {target} passes over it silently"
    ),
    # The key was renamed then; before, its new name is what is not known.
    _Change(lambda it: it.rule is LEGACY_SHAPE and it.pointer[-1:] == ("max_workers",), "0.24", None),
    # Forms that were given up then; what had them before took them.
    _Change(lambda it: it.rule is LEGACY_SHAPE and it.refused, "0.24", Severity.INFORMATION),
    _Change(lambda it: it.rule is INJECTED_SKILL_BODY, "0.25", None),
    # The limit of a task; that of the eval was always looked at.
    _Change(
        lambda it: it.rule is OUT_OF_RANGE and it.pointer == ("timeout_seconds",), "0.35", Severity.WARNING
    ),
)


def as_seen_by(finding: Finding, target: str) -> Finding | None:
    """The finding as it is for this version; None when that version has nothing against the text."""
    for it in _CHANGES:
        if it.is_about(finding) and is_newer(it.since, target):
            if it.before is None:
                return None
            because = f" ({it.because.format(target=target)})" if it.because else ""
            message = f"{finding.message}{because}"
            return replace(finding, severity=it.before, message=message)
    return finding
