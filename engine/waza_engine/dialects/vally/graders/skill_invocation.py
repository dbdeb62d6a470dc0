"""Checks which skills the agent activated.

## What it looks at
The names of the activated skills, compared exactly.

## Score
1 if every required skill was activated at least once and no disallowed skill was; otherwise 0.

## Example
```yaml
type: skill-invocation
config:
  required: [azure-deploy]
  disallowed: [azure-delete]
```

## Watch out
- Without `environment.skills`, a run has no skills to activate.
- A misspelt name in `disallowed` always passes.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.trajectory.events import of_type
from waza_engine.graders.base import Demand, FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import names_used
from waza_engine.model.findings import Finding, Severity
from waza_engine.model.results.evidence import Place
from waza_engine.model.schema_marks import foreign_keys, item_marks
from waza_engine.rules.contradictory_checks import required_and_forbidden


class SkillInvocationGrader(VallyGrader):
    type_name = "skill-invocation"
    cost_profile = "free"
    at_least_one = ("required", "disallowed")
    demands: ClassVar = {"required": Demand.SKILLS}

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "skill": "required",
                "skills": "required",
                "required_skills": "required",
                "expected": "required",
                "forbidden": "disallowed",
                "forbidden_skills": "disallowed",
            }
        )
    )

    required: Texts = Field(
        default=[],
        description="Skills that must each be activated at least once.",
        examples=[["azure-deploy"]],
        json_schema_extra=item_marks(reference="skill"),
    )
    disallowed: Texts = Field(
        default=[],
        description="Skills that must not be activated.",
        examples=[["azure-delete"]],
        json_schema_extra=item_marks(reference="skill"),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for it in required_and_forbidden("required", self.required, "disallowed", self.disallowed):
            yield replace(it, refused=True, severity=Severity.ERROR)

    @property
    def checks_absence_only(self) -> bool:
        return not self.required

    def grade(self, context: GradingContext) -> GraderResult:
        activated = _activated(context)
        failures = [
            *(
                FailedCheck(
                    ("required", index), f"not activated: {it}", names_used(activated), place=Place("skills")
                )
                for index, it in enumerate(self.required)
                if it not in activated
            ),
            *(
                FailedCheck(
                    ("disallowed", index), f"activated: {it}", names_used(activated), place=Place("skills")
                )
                for index, it in enumerate(self.disallowed)
                if it in activated
            ),
        ]
        details = {"required": self.required, "disallowed": self.disallowed, "activated": activated}
        if failures:
            return GraderResult.failed("; ".join(it.message for it in failures), details, tuple(failures))
        return GraderResult(1.0, True, f"Activated: {', '.join(activated) or 'none'}", details)


def _activated(context: GradingContext) -> list[str]:
    if context.events is None:
        return [it.name for it in context.skills]
    return [str(it.get("name") or "") for it in of_type(context.events, "skill_activation")]
