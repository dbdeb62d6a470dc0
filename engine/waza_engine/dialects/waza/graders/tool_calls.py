"""Checks which tools were called, how many calls there were, and their arguments.

## What it looks at
The tool calls of the session digest. For `expect` with `args`, also the recorded tool events, which have all
arguments. Without a session digest, the grader fails.

## Score
Each listed tool, each limit and each expectation is one check. The score is the share of checks that passed. Example:
of two required tools one was not called, and the number of calls is within `max_calls`. The score is 2 / 3 = 0.67,
and the grader fails.

## Example
```yaml
type: tool_calls
name: searches-then-edits
config:
  required_tools: [edit]
  max_calls: 20
  expect:
    - tool: search
      args:
        query: {regex: ^auth}
        limit: {range: {gte: 1, lte: 5}}
```

## Watch out
- Names in `required_tools` and `forbidden_tools` are exact. `expect[].tool` is a case-insensitive RE2 pattern that
  may match anywhere in the name: `as` matches `bash`.
- `max_calls: 0` forbids every call. Omit it for no limit.
- All matchers of an expectation must match the same call.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.rules.legacy_shape import refused_shape
from waza_engine.dialects.waza.tool_args import (
    ArgumentTest,
    Matchers,
    known_arguments,
    matcher_documents,
    matcher_refusals,
)
from waza_engine.dialects.waza.tools import tool_pattern, tool_refusals
from waza_engine.graders.base import Demand, FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.close_calls import CALLS, SeenCall, calls_seen, close_calls, seen_calls
from waza_engine.graders.excerpts import names_used
from waza_engine.lib.go.regexp import regex_matches
from waza_engine.model.fields import IfGiven, Integer, ListOf, Strings, Text
from waza_engine.model.findings import Finding, Fix, InsertKey, RemoveKey, SetValue
from waza_engine.model.schema_marks import FileModel, foreign_keys, item_marks, marks
from waza_engine.model.trajectory import Session
from waza_engine.rules.contradictory_checks import CONTRADICTORY_CHECKS, required_and_forbidden

_CallCount = Annotated[Integer, Field(ge=0)]
_PATTERN_OPTIONS = {"required": "required_tools", "forbidden": "forbidden_tools"}
"""Options of the Python generation, which matched "<tool> <arguments>", each with its successor."""


class ExpectedCall(FileModel):
    """A call that must happen."""

    tool: Text = Field(
        min_length=1,
        description="RE2 pattern for the tool's name (case-insensitive; may match anywhere in the name).",
        examples=["^search_"],
        json_schema_extra=marks(reference="tool", language="regex"),
    )
    args: Matchers = Field(
        default={},
        description="Matchers for the arguments of the call, by argument name.",
        examples=[{"query": {"contains": "auth"}}],
    )

    def outcome(self, test: ArgumentTest, context: GradingContext, session: Session) -> dict[str, Any]:
        """Return the call that meets the expectation, or the reason why none does, for the details."""
        details: dict[str, Any] = {"tool": self.tool}
        if self.args:
            details["args"] = {name: it.model_dump(exclude_unset=True) for name, it in self.args.items()}
            events = [it for it in enumerate(context.tool_events) if self._matches_name(it[1].tool_name)]
            # Events have all arguments, so if the tool has any, only they decide.
            if events:
                return details | self._event_outcome(events, test, session)
        return details | self._call_outcome(test, session)

    def closest(self, calls: Sequence[SeenCall]) -> str:
        """Return the calls that come closest to the expected one."""
        wanted = " ".join(f"{name} {it.model_dump(exclude_unset=True)}" for name, it in self.args.items())
        named = [index for index, it in enumerate(calls) if self._matches_name(it.name)]
        return close_calls(calls, self.tool, wanted, named)

    def _matches_name(self, name: str) -> bool:
        return regex_matches(tool_pattern(self.tool), name) is True

    def _event_outcome(
        self, events: list[tuple[int, Any]], test: ArgumentTest, session: Session
    ) -> dict[str, Any]:
        for index, event in events:
            if test.passes(event.args):
                ids = [it.id for it in session.tool_calls]
                is_known = bool(event.tool_call_id) and event.tool_call_id in ids
                return {
                    "matched_call_index": ids.index(event.tool_call_id) if is_known else index,
                    "matched_call_id": event.tool_call_id,
                    "matched_tool_event_index": index,
                }
        return {"reason": "no call of the tool has these arguments"}

    def _call_outcome(self, test: ArgumentTest, session: Session) -> dict[str, Any]:
        calls = [it for it in enumerate(session.tool_calls) if self._matches_name(it[1].name)]
        for index, call in calls:
            if test.passes(known_arguments(call)):
                return {"matched_call_index": index, "matched_call_id": call.id}
        return {"reason": "no call of the tool has these arguments" if calls else "the tool was not called"}


class ToolCallsGrader(Grader):
    type_name = "tool_calls"
    at_least_one = ("required_tools", "forbidden_tools", "min_calls", "max_calls", "expect")
    demands: ClassVar = dict.fromkeys(
        ("required_tools", "expect", "min_calls", "required"), Demand.TOOL_CALLS
    )

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "expected_tools": "required_tools",
                "expect_tools": "required_tools",
                "reject_tools": "forbidden_tools",
                "max_tool_calls": "max_calls",
                "min_tool_calls": "min_calls",
            }
        )
    )

    required_tools: Strings = Field(
        default=[],
        description="Tools that must be called. Names are exact.",
        examples=[["bash"]],
        json_schema_extra=item_marks(reference="tool"),
    )
    forbidden_tools: Strings = Field(
        default=[],
        description="Tools that must not be called. Names are exact.",
        examples=[["web_fetch"]],
        json_schema_extra=item_marks(reference="tool"),
    )
    min_calls: IfGiven[_CallCount] = Field(
        default=None, description="Minimum number of calls, of all tools together.", examples=[1]
    )
    max_calls: IfGiven[_CallCount] = Field(
        default=None,
        description="Maximum number of calls, of all tools together. 0 forbids every call.",
        examples=[20],
    )
    expect: ListOf[ExpectedCall] = Field(
        default=[],
        description="Calls that must happen, with matchers for their arguments.",
        examples=[[{"tool": "search", "args": {"query": {"contains": "auth"}}}]],
    )

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        for old, option in _PATTERN_OPTIONS.items():
            patterns = config.get(old)
            if not isinstance(patterns, list):
                continue
            names = [it.get("pattern") if isinstance(it, Mapping) else it for it in patterns]
            are_names = all(isinstance(it, str) and it.replace("_", "a").isalnum() for it in names)
            is_free = config.get(option) in (None, "", [], {})
            changes = (RemoveKey((old,)), InsertKey((), option, names))
            fixes = [Fix(f"Change to '{option}'", changes, preferred=True)] if are_names and is_free else []
            message = f"Runs refuse '{old}' with patterns, which is an old form. Use '{option}' with names, or a 'tool_constraint' grader"
            yield refused_shape((old,), message, on="key", fixes=fixes)

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        return matcher_documents(config, process_dir)

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if self.min_calls is not None and self.max_calls is not None and self.min_calls > self.max_calls:
            swap = (SetValue(("min_calls",), self.max_calls), SetValue(("max_calls",), self.min_calls))
            yield CONTRADICTORY_CHECKS.at(
                ("min_calls",),
                f"'min_calls' ({self.min_calls}) is greater than 'max_calls' ({self.max_calls})",
                related=[(("max_calls",), "the upper limit")],
                refused=True,
                fixes=[Fix("Swap the limits", swap, preferred=True)],
            )
        for index, expected in enumerate(self.expect):
            place = ("expect", index)
            yield from tool_refusals(expected.tool, (*place, "tool"))
            yield from matcher_refusals(expected.args, scope.process_dir, (*place, "args"))

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from required_and_forbidden(
            "required_tools", self.required_tools, "forbidden_tools", self.forbidden_tools
        )

    def grade(self, context: GradingContext) -> GraderResult:
        # A JSON Schema that does not compile is a load error, so compile before looking for the session.
        tests = [ArgumentTest(it.args, context.process_dir) for it in self.expect]
        session = context.session
        if session is None:
            return GraderResult(0.0, False, "The run has no session digest", type_name="")
        names = [it.name for it in session.tool_calls]
        seen = seen_calls(context)
        expectations = [
            expected.outcome(test, context, session)
            for expected, test in zip(self.expect, tests, strict=True)
        ]
        failures = [
            *(
                FailedCheck(
                    ("required_tools", index), f"not called: {tool}", close_calls(seen, tool), place=CALLS
                )
                for index, tool in enumerate(self.required_tools)
                if tool not in names
            ),
            *(
                FailedCheck(
                    ("forbidden_tools", index),
                    f"called: {tool}",
                    calls_seen(seen, [at for at, name in enumerate(names) if name == tool]),
                    place=CALLS,
                )
                for index, tool in enumerate(self.forbidden_tools)
                if tool in names
            ),
            *self._count_failures(names),
            *(
                FailedCheck(
                    ("expect", index),
                    f"expected {outcome['tool']}: {outcome['reason']}",
                    self.expect[index].closest(seen),
                    place=CALLS,
                )
                for index, outcome in enumerate(expectations)
                if "reason" in outcome
            ),
        ]
        bounds = sum(it is not None for it in (self.min_calls, self.max_calls))
        total = len(self.required_tools) + len(self.forbidden_tools) + bounds + len(self.expect)
        details: dict[str, Any] = {
            "total_calls": len(names),
            "unique_tools": list(dict.fromkeys(names)) or None,
            "passed_checks": total - len(failures),
            "total_checks": total,
        }
        if expectations:
            details["expect"] = expectations
        feedback = "; ".join(it.message for it in failures) or "All checks passed"
        score = (total - len(failures)) / total
        # waza leaves the type of these results empty.
        return GraderResult(score, not failures, feedback, details, type_name="", parts=tuple(failures))

    def _count_failures(self, names: list[str]) -> Iterator[FailedCheck]:
        count, used = len(names), names_used(names)
        if self.min_calls is not None and count < self.min_calls:
            yield FailedCheck(("min_calls",), f"{count} calls, minimum {self.min_calls}", used, place=CALLS)
        if self.max_calls is not None and count > self.max_calls:
            yield FailedCheck(("max_calls",), f"{count} calls, maximum {self.max_calls}", used, place=CALLS)
