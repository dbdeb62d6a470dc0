"""Adjust findings to the version of waza that a project targets.

Apart because `dialect` names it as a string, and only projects with a target load it. See
docs/reference/waza-formats.md, sections 1, 11 and 20.
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
    """The severity of a finding for versions before `since`; None if they have no such finding."""

    applies_to: Callable[[Finding], bool]
    since: str
    before: Severity | None
    reason: str = ""


_CHANGES = (
    _Change(
        lambda finding: finding.rule is UNKNOWN_KEY,
        "0.24",
        Severity.WARNING,
        "waza {target} ignores it silently",
    ),
    # The key was renamed in 0.24. Older versions do not know the new name.
    _Change(
        lambda finding: finding.rule is LEGACY_SHAPE and finding.pointer[-1:] == ("max_workers",),
        "0.24",
        None,
    ),
    # Old forms that 0.24 dropped. Older versions still accept them.
    _Change(lambda finding: finding.rule is LEGACY_SHAPE and finding.refused, "0.24", Severity.INFORMATION),
    _Change(lambda finding: finding.rule is INJECTED_SKILL_BODY, "0.25", None),
    # Only the limit of a task. The eval's limit was always checked.
    _Change(
        lambda finding: finding.rule is OUT_OF_RANGE and finding.pointer == ("timeout_seconds",),
        "0.35",
        Severity.WARNING,
    ),
)


def adjust_for_version(finding: Finding, target: str) -> Finding | None:
    """Return the finding as it is for a version; None if that version accepts the text."""
    for change in _CHANGES:
        if change.applies_to(finding) and is_newer(change.since, target):
            if change.before is None:
                return None
            reason = f" ({change.reason.format(target=target)})" if change.reason else ""
            message = f"{finding.message}{reason}"
            return replace(finding, severity=change.before, message=message)
    return finding
