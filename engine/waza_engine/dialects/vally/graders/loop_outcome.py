"""Checks whether the agent got into a loop.

## What it looks at
All tool calls of the trial, or only calls of `tools`. A run of N identical calls has N - 1 retries. Two calls are
identical by `match`: the same tool with equal arguments (`name-args`), the same tool (`name`), or the same tool with the
same result (`observation`). With `max_cycle_period`, blocks of several calls count, too.

## Score
The agent loops if one run has more than `max_acceptable_retries` retries. The score is 1 if it loops as `should_loop`
says, by default not at all; otherwise 0.

## Example
```yaml
type: loop-outcome
config:
  max_acceptable_retries: 2
```

## Watch out
- `should_loop: true` passes only if the agent loops.
- The default of `match` is `name-args`; that of `max-repeat` is `observation`.
- vally's page describes `tools` as the calls of the retry signal. We know no other signal, so the verdict above is our
  reading.
"""

from collections.abc import Iterator

from pydantic import Field

from waza_engine.dialects.vally.fields import Flag, Integer
from waza_engine.dialects.vally.graders._shared.repeats import Match, RepeatGrader, Repeats, match_field
from waza_engine.dialects.vally.rules.expected_loop import EXPECTED_LOOP
from waza_engine.graders.base import FailedCheck, GraderResult, Scope
from waza_engine.model.findings import Finding, Fix, RemoveKey


class LoopOutcomeGrader(RepeatGrader):
    type_name = "loop-outcome"

    max_acceptable_retries: Integer = Field(
        ge=0,
        description="Maximum number of retries of one call that do not count as a loop. 0: any repeated call is a loop.",
        examples=[2],
    )
    should_loop: Flag = Field(
        default=False, description="Whether the agent must loop for the check to pass.", examples=[True]
    )
    match: Match = match_field("name-args")

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from super().check(scope)
        if self.should_loop:
            yield EXPECTED_LOOP.at(
                ("should_loop",),
                "The check passes only if the agent loops. Remove 'should_loop' to forbid loops",
                fixes=[Fix("Remove 'should_loop'", (RemoveKey(("should_loop",)),))],
            )

    def verdict(self, longest: Repeats) -> GraderResult:
        retries = max(longest.times - 1, 0)
        looped = retries > self.max_acceptable_retries
        details = {
            "retries": retries,
            "max_acceptable_retries": self.max_acceptable_retries,
            "looped": looped,
            "tools": list(longest.tools),
        }
        feedback = (
            f"The agent loops: {longest.words}, only {self.max_acceptable_retries} retries allowed"
            if looped
            else f"The agent does not loop: at most {retries} retries in a row"
        )
        if looped is self.should_loop:
            return GraderResult(1.0, True, feedback, details)
        option = "should_loop" if self.should_loop else "max_acceptable_retries"
        return GraderResult.failed(feedback, details, (FailedCheck((option,), feedback),))
