"""Compares the skills that the agent loaded with required and forbidden skills.

## What it looks at
The names of the recorded skill invocations in order, including repeats. Without a record, the list is empty.

## Score
With required skills, the score is F1 = 2 * p * r / (p + r). The precision p is the share of the invocations that were
required. The recall r is the share of the required skills that were invoked. Without required skills, the score is
1.0. With `allow_extra: false` and more invocations than required, it is multiplied by 1 - 0.6 * surplus /
invocations. Any forbidden skill makes it 0. Example: required `prep`, invoked `prep, x, y, z`, `allow_extra: false`:
p = 1/4, r = 1, F1 = 0.4, score = 0.4 * (1 - 0.6 * 3/4) = 0.22.

The score does not decide whether the grader passes: the invocations must match as `mode` says, and none may be
forbidden.

## Example
```yaml
type: skill_invocation
name: uses-deploy-skill
config:
  required_skills: [azure-deploy]
  mode: any_order
```

## Watch out
- `allow_extra: false` only lowers the score. It never makes the grader fail.
- A skill whose SKILL.md is part of the agent's instructions is never invoked, so this grader does not see it.
"""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.waza.tools import PERFECT, Overlap, any_order, in_order, overlap
from waza_engine.graders.base import Demand, FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import names_used
from waza_engine.model.fields import Flag, IfGiven, Strings, as_text
from waza_engine.model.findings import Finding, Fix, InsertKey
from waza_engine.model.results.evidence import Place
from waza_engine.model.schema_marks import foreign_keys, item_marks, marks
from waza_engine.rules.contradictory_checks import required_and_forbidden
from waza_engine.rules.missing_companion import MISSING_COMPANION

_MODES = {
    "exact_match": "The invocations are exactly the required skills, in this order.",
    "in_order": "The required skills are invoked in this order, possibly with others in between.",
    "any_order": "Each required skill is invoked at least as often as listed, in any order.",
}
_SKILLS = Place("skills")
_SURPLUS_PENALTY = 0.6


def _none_when_empty(value: Any) -> Any:
    return as_text(value) or None


class SkillInvocationGrader(Grader):
    type_name = "skill_invocation"
    at_least_one = ("required_skills", "forbidden_skills")
    demands: ClassVar = {"required_skills": Demand.SKILLS}
    needs: ClassVar = {"required_skills": ("mode", "any_order")}

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "skills": "required_skills",
                "expected_skills": "required_skills",
                "required": "required_skills",
                "forbidden": "forbidden_skills",
                "matching_mode": "mode",
            }
        )
    )

    required_skills: Strings = Field(
        default=[],
        description="Skills that the agent must load.",
        examples=[["azure-deploy"]],
        json_schema_extra=item_marks(reference="skill"),
    )
    forbidden_skills: Strings = Field(
        default=[],
        description="Skills that the agent must not load.",
        examples=[["azure-delete"]],
        json_schema_extra=item_marks(reference="skill"),
    )
    mode: Annotated[
        IfGiven[Literal["exact_match", "in_order", "any_order"]], BeforeValidator(_none_when_empty)
    ] = Field(
        default=None,
        description="How the invocations must match `required_skills`. Required if `required_skills` is set.",
        examples=["any_order"],
        json_schema_extra=marks(values=_MODES),
    )
    allow_extra: IfGiven[Flag] = Field(
        default=True,
        description="Whether additional invocations are allowed. If false, they lower the score.",
        examples=[False],
        json_schema_extra={"x-shown-default": True},
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if self.required_skills and self.mode is None:
            yield MISSING_COMPANION.at(
                ("required_skills",),
                "'required_skills' needs a 'mode': exact_match, in_order or any_order",
                on="key",
                fixes=[Fix("Add 'mode: any_order'", (InsertKey((), "mode", "any_order"),), preferred=True)],
                refused=True,
            )

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from required_and_forbidden(
            "required_skills", self.required_skills, "forbidden_skills", self.forbidden_skills
        )

    def grade(self, context: GradingContext) -> GraderResult:
        actual = [it.name for it in context.skills]
        forbidden = [it for it in dict.fromkeys(self.forbidden_skills) if it in actual]
        agreement = overlap(self.required_skills, actual) if self.required_skills else PERFECT
        extra_allowed = self.allow_extra is not False
        score = 0.0 if forbidden else self._score(agreement, actual, extra_allowed=extra_allowed)
        passed = self._matches(actual) and not forbidden
        return GraderResult(
            score,
            passed,
            self._feedback(actual, forbidden),
            {
                "mode": self.mode or "any_order",
                "required_skills": self.required_skills or None,
                "forbidden_skills": self.forbidden_skills or None,
                # Measured: waza writes an empty list, not null as for the others.
                "forbidden_violations": forbidden,
                "actual_skills": actual or None,
                "allow_extra": extra_allowed,
                "precision": agreement.precision,
                "recall": agreement.recall,
                "f1": agreement.f1,
            },
            parts=() if passed else tuple(self._failed_checks(actual, forbidden)),
        )

    def _failed_checks(self, actual: list[str], forbidden: list[str]) -> Iterator[FailedCheck]:
        for index, skill in enumerate(self.forbidden_skills):
            if skill in forbidden:
                yield FailedCheck(
                    ("forbidden_skills", index), f"invoked: {skill}", names_used(actual), place=_SKILLS
                )
        if not self._matches(actual):
            mode = self.mode or "any_order"
            wanted = f"{', '.join(self.required_skills)} ({mode})"
            message = f"not invoked as required ({mode})"
            yield FailedCheck(("required_skills",), message, names_used(actual), wanted=wanted, place=_SKILLS)

    def _score(self, agreement: Overlap, actual: list[str], *, extra_allowed: bool) -> float:
        surplus = len(actual) - len(self.required_skills)
        if extra_allowed or not self.required_skills or surplus <= 0:
            return agreement.f1
        return agreement.f1 * (1 - surplus / len(actual) * _SURPLUS_PENALTY)

    def _matches(self, actual: list[str]) -> bool:
        match self.mode:
            case "exact_match" if self.required_skills:
                return actual == self.required_skills
            case "in_order":
                return in_order(self.required_skills, actual)
            case _:
                return any_order(self.required_skills, actual)

    def _feedback(self, actual: list[str], forbidden: list[str]) -> str:
        if forbidden:
            return f"Forbidden skills were invoked: {', '.join(forbidden)}"
        required = f"Required: {', '.join(self.required_skills)}; " if self.required_skills else ""
        return f"{required}invoked: {', '.join(actual) or 'none'}"
