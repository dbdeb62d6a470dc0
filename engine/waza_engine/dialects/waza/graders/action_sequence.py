"""Compares the tools that the agent used with an expected sequence.

## What it looks at
The names of all tool calls in order, from the session digest. Without a session digest, the grader fails.

## Score
In every mode, the score is how well the two lists agree: F1 = 2 * p * r / (p + r). The precision p is the share of
the actual calls that were expected. The recall r is the share of the expected calls that happened. Repeated names
count each time. Example: expected `bash, edit`, actual `bash, view, edit`: p = 2/3, r = 1, F1 = 0.8.

Only the mode decides whether the grader passes. So a score of 1.0 can fail (right tools, wrong order), and a lower
score can pass.

## Example
```yaml
type: action_sequence
name: edits-then-tests
config:
  matching_mode: in_order_match
  expected_actions: [edit, bash]
```

## Watch out
- Names are compared exactly: `Bash` is not `bash`.
- Additional calls lower the score in every mode, but only `exact_match` fails because of them.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.waza.tools import any_order, in_order, overlap
from waza_engine.graders.base import Demand, FailedCheck, Grader, GraderResult, GradingContext
from waza_engine.graders.excerpts import quote
from waza_engine.model.fields import Strings, as_text
from waza_engine.model.results.evidence import FoundText, Place
from waza_engine.model.schema_marks import foreign_keys, item_marks, marks

_MODES = {
    "exact_match": "The calls are exactly the expected ones, in this order.",
    "in_order_match": "The expected calls happen in this order, possibly with others in between.",
    "any_order_match": "Each expected call happens at least as often as listed, in any order.",
}


class ActionSequenceGrader(Grader):
    type_name = "action_sequence"
    demands: ClassVar = {"expected_actions": Demand.TOOL_CALLS}

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "actions": "expected_actions",
                "expected": "expected_actions",
                "sequence": "expected_actions",
                "steps": "expected_actions",
                "mode": "matching_mode",
                "match_mode": "matching_mode",
            }
        )
    )

    matching_mode: Annotated[
        Literal["exact_match", "in_order_match", "any_order_match"], BeforeValidator(as_text)
    ] = Field(
        description="How the calls must match the expected ones for the grader to pass.",
        examples=["in_order_match"],
        json_schema_extra=marks(values=_MODES),
    )
    expected_actions: Strings = Field(
        min_length=1,
        description="Tool names, in the expected order.",
        examples=[["edit", "bash"]],
        json_schema_extra=item_marks(reference="tool"),
    )

    def grade(self, context: GradingContext) -> GraderResult:
        if context.session is None:
            return GraderResult.failed("The run has no session digest")
        actual = list(context.session.tools_used)
        agreement = overlap(self.expected_actions, actual)
        passed = self._matches(actual)
        return GraderResult(
            agreement.f1,
            passed,
            f"Expected: {', '.join(self.expected_actions)}; actual: {', '.join(actual) or 'no calls'}",
            {
                "matching_mode": self.matching_mode,
                "expected_actions": self.expected_actions,
                "actual_actions": actual or None,
                "precision": agreement.precision,
                "recall": agreement.recall,
                "f1": agreement.f1,
            },
            parts=() if passed else (self._failed_check(actual),),
        )

    def _failed_check(self, actual: list[str]) -> FailedCheck:
        return FailedCheck(
            ("expected_actions",),
            f"the calls differ from the expected ones ({self.matching_mode})",
            FoundText(
                f"actual calls: {quote(', '.join(actual) or 'none')}",
                actual="\n".join(actual),
                is_empty=not actual,
            ),
            place=Place("calls"),
        )

    def _matches(self, actual: list[str]) -> bool:
        match self.matching_mode:
            case "exact_match":
                return actual == self.expected_actions
            case "in_order_match":
                return in_order(self.expected_actions, actual)
            case "any_order_match":
                return any_order(self.expected_actions, actual)
