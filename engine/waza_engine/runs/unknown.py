"""What an executor cannot know, no grader may judge: reading it is a grade error, never a verdict by accident.

The words that `Executor.unknown` is made of:

- `tool calls`: whether any tool was called at all, and with what
- `tool names`: tool calls are known, their names are not
- `skills`: which skills were loaded
- `tokens`: how much was consumed

A grader is not asked what it needs: it gets a context that answers "not available" when the unknown is read. So
this holds for every grader type, also for new ones, and only for the options that really need the unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.suite import GraderEntry
from waza_engine.trajectory import Session

TOOL_CALLS, TOOL_NAMES, SKILLS, TOKENS = "tool calls", "tool names", "skills", "tokens"
_MEMBERS = {
    TOOL_CALLS: frozenset(["tool_call_count", "tools_used", "tool_calls"]),
    TOOL_NAMES: frozenset(["tools_used", "tool_calls"]),
    TOKENS: frozenset(["usage"]),
}


def guarded(context: GradingContext, executor: str, unknown: frozenset[str]) -> GradingContext:
    """The context, with what `executor` does not know closed to graders."""
    if not unknown:
        return context
    calls = next((it for it in (TOOL_CALLS, TOOL_NAMES) if it in unknown), "")
    changes: dict[str, Any] = {}
    if context.session is not None:
        changes["session"] = _guarded_session(context.session, executor, unknown)
    if calls:
        changes["tool_events"] = _Closed(executor, calls)
        changes["transcript"] = _NamelessTranscript(context.transcript, executor, calls)
    if SKILLS in unknown:
        changes["skills"] = _Closed(executor, SKILLS)
    return replace(context, **changes)


def not_available(executor: str, what: str) -> NoReturn:
    """Refuse to judge.

    Raises:
        GradeError: always.

    """
    raise GradeError(f"not available: the executor '{executor}' does not know {what}")


class _Closed(Sequence[Any]):
    """A list that nobody may look into."""

    def __init__(self, executor: str, what: str) -> None:
        self._executor, self._what = executor, what

    def __getitem__(self, index: Any) -> Any:
        not_available(self._executor, self._what)

    def __len__(self) -> int:
        not_available(self._executor, self._what)

    def __iter__(self) -> Iterator[Any]:
        not_available(self._executor, self._what)
