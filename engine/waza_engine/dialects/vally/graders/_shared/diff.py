"""Diffs of the workspace and the checks of them (docs/reference/vally.md, section 7.12)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Text
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.output import Negatable
from waza_engine.dialects.vally.graders._shared.patterns import (
    match_in,
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.trajectory.events import message_events_of, of_type
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import nearest_line, nearest_to_pattern, occurrence
from waza_engine.lib.files.safe_read import MAX_BYTES, TooLargeError, regular_bytes
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.text_diff import unified_diff
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Fix, RemoveKey
from waza_engine.model.results.evidence import Place
from waza_engine.rules.conflicting_keys import CONFLICTING_KEYS
from waza_engine.rules.pattern_as_text import pattern_as_text
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


def diff_of(context: GradingContext) -> str | None:
    """Return the recorded or computed diff of the trial; None if that is impossible."""
    if context.diff is not None:
        return context.diff
    if context.baseline_files is None or context.workspace_dir is None:
        return None
    try:
        return unified_diff(context.baseline_files, dict(_files(context.workspace_dir)))
    except TooLargeError:
        return None


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    left = MAX_BYTES
    for folder, folders, names in os.walk(root):
        folders[:] = [it for it in folders if it != ".git"]
        for name in names:
            path = Path(folder) / name
            if name != ".git" and path.is_file() and not path.is_symlink():
                content = regular_bytes(path, left)
                left -= len(content)
                yield path.relative_to(root).as_posix(), content


class DiffGrader(VallyGrader):
    """A grader that reads the diff of the workspace."""

    requires_workspace: ClassVar[bool] = True

    def grade_turn(self, context: GradingContext, turn: int | None) -> GraderResult:
        if turn is None:
            return self.grade(context)
        turns = max(len(of_type(message_events_of(context), "user_message")), 1)
        if turn >= turns:
            return GraderResult.undecided(f"Cannot tell: there is no turn {turn}, only {turns}")
        if turns > 1:
            return GraderResult.undecided("Cannot tell: the recording has one diff for all turns")
        return self.grade(context)


NO_BASELINE = (
    "Cannot tell what changed: the recording lacks the workspace's state before the run, "
    "or the workspace is larger than 64 MB"
)


class DiffContains(DiffGrader, Negatable):
    """Looks for a pattern or a string in the diff of the workspace."""

    at_least_one = ("pattern", "value")

    model_config = ConfigDict(json_schema_extra={"x-exclusive": [["pattern", "value"]]})

    pattern: IfGiven[Text] = Field(
        default=None,
        description=(
            "JavaScript pattern to find in the unified diff. It sees file names in headers, and lines with their `+`, `-` "
            "or space in front."
        ),
        examples=["(?m)^\\+.*TODO"],
        json_schema_extra=pattern_marks(),
    )
    value: IfGiven[Text] = Field(
        default=None,
        description="String to find in the unified diff (case-sensitive), instead of `pattern`.",
        examples=["+++ b/src/app.py"],
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if self.pattern is not None and self.value is not None:
            message = "Set 'pattern' or 'value', not both"
            fix = Fix("Remove 'value'", (RemoveKey(("value",)),))
            yield CONFLICTING_KEYS.at(("value",), message, on="key", fixes=[fix], refused=True)
        yield from pattern_refusals(self.pattern or "", ("pattern",))

    def check(self, scope: Scope) -> Iterator[Finding]:
        if self.pattern is not None:
            yield from pattern_findings(self.pattern, ("pattern",), self.fate)
        elif not self.value:
            yield TRIVIAL_CHECK.at(
                ("value",), f"Every diff contains the empty string, so this check {self.fate}"
            )
        else:
            yield from pattern_as_text(self.value, ("value",), "'pattern'")

    def grade(self, context: GradingContext) -> GraderResult:
        option, wanted = ("value", self.value) if self.pattern is None else ("pattern", self.pattern)
        details = {option: wanted, "negate": self.negated}
        diff = diff_of(context)
        if diff is None:
            return GraderResult.undecided(NO_BASELINE, details)
        try:
            found = (
                bool(js_matches(self.pattern, diff))
                if self.pattern is not None
                else (self.value or "") in diff
            )
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}", details)
        feedback = f"The diff {'contains' if found else 'does not contain'} {wanted}"
        if found is not self.negated:
            return GraderResult(1.0, True, feedback, details)
        wanted_text = f"{'no ' if found else ''}{option}: {wanted}"
        excerpt = self._excerpt(diff, found=found)
        part = FailedCheck((option,), feedback, excerpt, wanted=wanted_text, place=Place("diff"))
        return GraderResult.failed(feedback, details, (part,))

    def _excerpt(self, diff: str, *, found: bool) -> str:
        if self.pattern is not None:
            return match_in(self.pattern, diff) if found else nearest_to_pattern(self.pattern, diff)
        value = self.value or ""
        return occurrence(value, diff, any_case=False) if found else nearest_line(value, diff)
