"""Checks which system events the recording has, such as a compaction of the context.

## What it looks at
The events of type `system` and their `data.eventType`, compared exactly and case-sensitively. The executor chooses the
event types; there is no fixed list.

## Score
1 if every required event type occurs at least once and no disallowed one does; otherwise 0.

## Example
```yaml
type: system-event
config:
  disallowed: [compaction]
```

## Watch out
- Recordings of vally before 0.10 have no system events.
- Our own executors record no system events. For their recordings the check cannot be decided.
"""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.trajectory.events import of_type, system_events_of
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import names_used
from waza_engine.model.findings import Finding, Severity
from waza_engine.model.schema_marks import foreign_keys
from waza_engine.rules.contradictory_checks import required_and_forbidden


class SystemEventGrader(VallyGrader):
    type_name = "system-event"
    at_least_one = ("required", "disallowed")

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "expected": "required",
                "expect": "required",
                "forbidden": "disallowed",
                "rejected": "disallowed",
            }
        )
    )

    required: Texts = Field(
        default=[], description="Event types that must each occur at least once.", examples=[["compaction"]]
    )
    disallowed: Texts = Field(
        default=[], description="Event types that must not occur.", examples=[["compaction"]]
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for it in required_and_forbidden("required", self.required, "disallowed", self.disallowed):
            yield replace(it, refused=True, severity=Severity.ERROR)

    @property
    def checks_absence_only(self) -> bool:
        return not self.required

    def grade_turn(self, context: GradingContext, turn: int | None) -> GraderResult:
        # A turn of our own recordings has no system events either, which says nothing.
        return self.grade(context) if system_events_of(context) is None else super().grade_turn(context, turn)

    def grade(self, context: GradingContext) -> GraderResult:
        events = system_events_of(context)
        details = {"required": self.required, "disallowed": self.disallowed}
        if events is None:
            return GraderResult.undecided("Cannot tell: the recording has no system events", details)
        types = [it for data in of_type(events, "system") if isinstance(it := data.get("eventType"), str)]
        found = list(dict.fromkeys(types))
        failures = [
            *(
                FailedCheck(("required", index), f"no event: {it}", names_used(types))
                for index, it in enumerate(self.required)
                if it not in found
            ),
            *(
                FailedCheck(("disallowed", index), f"event: {it}", f"{types.count(it)} times")
                for index, it in enumerate(self.disallowed)
                if it in found
            ),
        ]
        details["found"] = found
        if failures:
            return GraderResult.failed("; ".join(it.message for it in failures), details, tuple(failures))
        return GraderResult(1.0, True, f"System events: {', '.join(found) or 'none'}", details)
