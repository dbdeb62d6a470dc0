"""What an agent changed in its workspace (docs/reference/vally.md, section 7.12)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Text
from waza_engine.dialects.vally.graders._shared.output import Negatable
from waza_engine.dialects.vally.graders._shared.patterns import (
    match_in,
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.text_diff import unified_diff
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Fix, RemoveKey
from waza_engine.model.schema_marks import marks
from waza_engine.rules.conflicting_keys import CONFLICTING_KEYS
from waza_engine.rules.pattern_as_text import pattern_as_text
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


def diff_of(context: GradingContext) -> str | None:
    """The diff of the trial, recorded or made now; None when nobody knows what stood there before."""
    if context.diff is not None:
        return context.diff
    if context.baseline_files is None or context.workspace_dir is None:
        return None
    return unified_diff(context.baseline_files, dict(_files(context.workspace_dir)))


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [it for it in folders if it != ".git"]
        for name in names:
            place = Path(folder) / name
            if name != ".git" and place.is_file() and not place.is_symlink():
                yield place.relative_to(root).as_posix(), place.read_bytes()


NO_BASELINE = "Cannot tell what changed: the recording does not say what stood in the workspace before"


class DiffContains(Negatable):
    """A pattern in the diff of the workspace."""

    since = "0.14"
    requires_workspace: ClassVar[bool] = True
    at_least_one = ("pattern", "value")

    pattern: IfGiven[Text] = Field(
        default=None,
        description=(
            "A JavaScript pattern to look for in the unified diff: file names in headers match, and the lines with "
            "their `+`, `-` or blank in front."
        ),
        examples=["(?m)^\\+.*TODO"],
        json_schema_extra=pattern_marks(),
    )
    value: IfGiven[Text] = Field(
        default=None,
        description="A text to look for in the unified diff, instead of `pattern`; upper and lower case count.",
        examples=["+++ b/src/app.py"],
        json_schema_extra=marks(since="0.15"),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if self.pattern is not None and self.value is not None:
            message = "Give 'pattern' or 'value', not both"
            fix = Fix("Remove 'value'", (RemoveKey(("value",)),))
            yield CONFLICTING_KEYS.at(("value",), message, on="key", fixes=[fix], refused=True)
        yield from pattern_refusals(self.pattern or "", ("pattern",))

    def check(self, scope: Scope) -> Iterator[Finding]:
        if self.pattern is not None:
            yield from pattern_findings(self.pattern, ("pattern",), self.fate)
        elif not self.value:
            yield TRIVIAL_CHECK.at(("value",), f"An empty text is in every diff: this check {self.fate}")
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
        said = f"The change {'has' if found else 'does not have'} {wanted}"
        if found is not self.negated:
            return GraderResult(1.0, True, said, details)
        seen = match_in(self.pattern, diff) if found and self.pattern is not None else ""
        return GraderResult.failed(said, details, (FailedCheck((option,), said, seen),))
