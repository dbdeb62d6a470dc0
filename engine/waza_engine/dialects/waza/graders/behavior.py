"""Limits the agent's calls, tokens and time, and checks which tools it used.

## What it looks at
The session digest (number of calls, names of the tools used, tokens) and the agent's time. Without a session
digest, the grader fails.

## Score
Each limit and each listed tool is one check. The score is the share of checks that passed. Example: limits of 5
calls and 1000 tokens, and two required tools of which one was not used, make 4 checks. The score is 3 / 4 = 0.75,
and the grader fails.

## Example
```yaml
type: behavior
name: stays-cheap
config:
  max_tool_calls: 10
  max_tokens: 20000
  required_tools: [bash]
```

## Watch out
- Limits are inclusive, and 0 means no limit.
- `max_tokens` counts input and output tokens. It passes if the usage is unknown.
- Tool names are compared exactly: `Bash` is not `bash`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, Field, JsonValue

from waza_engine.dialects.waza.rules.unlikely_duration import short_duration_findings
from waza_engine.graders.base import (
    Demand,
    DraftedGrader,
    FailedCheck,
    GradeError,
    Grader,
    GraderResult,
    GradingContext,
    Scope,
)
from waza_engine.graders.close_calls import CALLS, calls_seen, close_calls, seen_calls
from waza_engine.graders.excerpts import names_used
from waza_engine.model.fields import Integer, Strings
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import foreign_keys, item_marks
from waza_engine.model.trajectory import Session
from waza_engine.rules.contradictory_checks import required_and_forbidden

_T = TypeVar("_T")
_NO_LIMIT_BELOW_ZERO: dict[str, JsonValue] = {
    "minimum": 0,
    "x-severity": "warning",
    "x-consequence": "waza accepts it and checks no limit",
}


class BehaviorGrader(Grader):
    type_name = "behavior"
    at_least_one = ("max_tool_calls", "max_tokens", "required_tools", "forbidden_tools", "max_duration_ms")
    cacheable: ClassVar[bool] = False
    demands: ClassVar = {"required_tools": Demand.TOOL_CALLS}

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "max_response_time_ms": "max_duration_ms",
                "max_time_ms": "max_duration_ms",
                "timeout_ms": "max_duration_ms",
                "required": "required_tools",
                "forbidden": "forbidden_tools",
                "max_calls": "max_tool_calls",
            },
            max_turns="No grader limits turns. Use 'max_tool_calls' or 'max_tokens'",
            max_iterations="No grader limits turns. Use 'max_tool_calls' or 'max_tokens'",
        )
    )

    max_tool_calls: Integer = Field(
        default=0,
        description="Maximum number of tool calls. 0 means no limit.",
        examples=[10],
        json_schema_extra=_NO_LIMIT_BELOW_ZERO,
    )
    max_tokens: Integer = Field(
        default=0,
        description="Maximum number of tokens, input and output together. 0 means no limit.",
        examples=[20000],
        json_schema_extra=_NO_LIMIT_BELOW_ZERO,
    )
    required_tools: Strings = Field(
        default=[],
        description="Tools that the agent must use.",
        examples=[["bash"]],
        json_schema_extra=item_marks(reference="tool"),
    )
    forbidden_tools: Strings = Field(
        default=[],
        description="Tools that the agent must not use.",
        examples=[["web_fetch"]],
        json_schema_extra=item_marks(reference="tool"),
    )
    max_duration_ms: Integer = Field(
        default=0,
        description="Maximum time for the agent, in milliseconds. 0 means no limit.",
        examples=[60000],
        json_schema_extra=_NO_LIMIT_BELOW_ZERO,
    )

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        counts = [it.session.tool_call_count for it in trials if it.session is not None]
        if not counts or not max(counts):
            return None
        # 50 % more than recorded: another run of the same agent takes other steps.
        most = max(counts) + max(2, max(counts) // 2)
        about = f"at most {most} tool calls ({max(counts)} recorded)"
        return DraftedGrader("stays-efficient", about, cls(max_tool_calls=most))

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from required_and_forbidden(
            "required_tools", self.required_tools, "forbidden_tools", self.forbidden_tools
        )
        if scope.executor != "mock":
            yield from short_duration_findings(self.max_duration_ms, ("max_duration_ms",))

    def grade(self, context: GradingContext) -> GraderResult:
        session = context.session
        if session is None:
            return GraderResult.failed("The run has no session digest")
        # Functions, because an executor may not know a figure, and then reading it fails.
        limits: list[tuple[str, str, Callable[[], int], int]] = [
            ("max_tool_calls", "tool calls", lambda: session.tool_call_count, self.max_tool_calls),
            ("max_tokens", "tokens", lambda: _tokens(session) or 0, self.max_tokens),
            ("max_duration_ms", "milliseconds", lambda: context.duration_ms, self.max_duration_ms),
        ]
        checked = [(option, what, value(), limit) for option, what, value, limit in limits if limit > 0]
        failures = [
            *(
                FailedCheck((option,), f"{value} {what}, maximum {limit}", _spent(option, session))
                for option, what, value, limit in checked
                if value > limit
            ),
            *(
                FailedCheck(
                    ("required_tools", index),
                    f"not used: {tool}",
                    close_calls(seen_calls(context), tool),
                    place=CALLS,
                )
                for index, tool in enumerate(self.required_tools)
                if tool not in session.tools_used
            ),
            *(
                FailedCheck(("forbidden_tools", index), f"used: {tool}", _uses(tool, context), place=CALLS)
                for index, tool in enumerate(self.forbidden_tools)
                if tool in session.tools_used
            ),
        ]
        total = len(checked) + len(self.required_tools) + len(self.forbidden_tools)
        tokens = _if_known(lambda: _tokens(session))
        known_tokens: dict[str, Any] = {} if tokens is None else {"tokens_total": tokens}
        return GraderResult.of_checks(
            total,
            failures,
            **self.model_dump(),
            tool_call_count=_if_known(lambda: session.tool_call_count),
            tools_used=_if_known(lambda: list(session.tools_used)),
            actual_duration=context.duration_ms,
            **known_tokens,
        )


def _spent(option: str, session: Session) -> str:
    """Return what a limit was spent on, as far as it is known."""
    if option == "max_tokens" and session.usage:
        return f"{session.usage.input_tokens} in, {session.usage.output_tokens} out"
    names = _if_known(lambda: list(session.tools_used)) if option == "max_tool_calls" else None
    return names_used(names) if names else ""


def _uses(tool: str, context: GradingContext) -> str:
    seen = seen_calls(context)
    return calls_seen(seen, [at for at, call in enumerate(seen) if call.name == tool])


def _tokens(session: Session) -> int | None:
    return session.usage.tokens if session.usage else None


def _if_known(read: Callable[[], _T]) -> _T | None:
    """Return a detail; None if the executor does not know it."""
    try:
        return read()
    except GradeError:
        return None
