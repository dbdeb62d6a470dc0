"""`diff-contains` and its `-not-` twin (vally.md, section 7.12)."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from waza_engine.findings import Finding
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.js_regex import TooSlowError, js_found
from waza_engine.vally.diff import diff_of
from waza_engine.vally.fields import Text
from waza_engine.vally.output_text import Negatable
from waza_engine.vally.patterns import match_in, pattern_findings, pattern_marks

NO_BASELINE = "Cannot tell what changed: the recording does not say what stood in the workspace before"


class DiffContains(Negatable):
    """A pattern in the diff of the workspace."""

    since = "0.14"
    requires_workspace: ClassVar[bool] = True

    pattern: Text = Field(
        description=(
            "A JavaScript pattern to look for in the unified diff: file names in headers match, and the lines with "
            "their `+`, `-` or blank in front."
        ),
        examples=["(?m)^\\+.*TODO"],
        json_schema_extra=pattern_marks(),
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from pattern_findings(self.pattern, ("pattern",), self.fate)

    def grade(self, context: GradingContext) -> GraderResult:
        details = {"pattern": self.pattern, "negate": self.negated}
        diff = diff_of(context)
        if diff is None:
            return GraderResult.undecided(NO_BASELINE, details)
        try:
            found = js_found(self.pattern, diff)
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}", details)
        said = f"The change {'matches' if found else 'does not match'} {self.pattern}"
        if bool(found) is not self.negated:
            return GraderResult(1.0, True, said, details)
        part = FailedCheck(("pattern",), said, match_in(self.pattern, diff) if found else "")
        return GraderResult.failed(said, details, (part,))
