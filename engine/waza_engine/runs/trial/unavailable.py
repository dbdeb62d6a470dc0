"""Keep graders from judging data that the executor cannot observe: reading it is a grade error, not a verdict.

`Executor.unknown` (`executors.base`) uses these words:

- `tool calls`: whether any tool was called, and with what
- `tool names`: calls are known, but not the tools' names
- `skills`: which skills were loaded
- `tokens`: how many tokens were used

Graders need not declare what they read. They get a context that raises "not available" when unknown data is read, so
every grader type is covered, even new ones, and only the options that really read the data. Graders that pass the
context to user code cannot be guarded like this; `unavailable_to_code` searches the code for the names instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn, Self

from pydantic import PrivateAttr

from waza_engine.executors.base import SKILLS, TOKENS, TOOL_CALLS, TOOL_NAMES
from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.graders.registry import find_grader
from waza_engine.model.suite import GraderEntry
from waza_engine.model.trajectory import Session

_MEMBERS = {
    TOOL_CALLS: frozenset(["tool_call_count", "tools_used", "tool_calls"]),
    TOOL_NAMES: frozenset(["tools_used", "tool_calls"]),
    TOKENS: frozenset(["usage"]),
}
_GUARDED = frozenset().union(*_MEMBERS.values())
_CODE_NAMES = re.compile(r"\b(tool_calls|transcript)\b")


def guard_context(context: GradingContext, executor: str, unknown: frozenset[str]) -> GradingContext:
    """Return the context with the data that `executor` does not know locked."""
    if not unknown:
        return context
    calls = next((it for it in (TOOL_CALLS, TOOL_NAMES) if it in unknown), "")
    changes: dict[str, Any] = {}
    if context.session is not None:
        changes["session"] = _GuardedSession.of(context.session, executor, unknown)
    if calls:
        changes["tool_events"] = _ClosedList(executor, calls)
    if SKILLS in unknown:
        changes["skills"] = _ClosedList(executor, SKILLS)
    return replace(context, **changes)


def unavailable_to_code(entry: GraderEntry, executor: str, unknown: frozenset[str]) -> str:
    """Return an error if the code in a grader's entry names unknown data, or ""."""
    kind = find_grader(entry.type, entry.dialect)
    what = next((it for it in (TOOL_CALLS, TOOL_NAMES) if it in unknown), "")
    if not what or kind is None or not kind.executes:
        return ""
    if any(_CODE_NAMES.search(it) for it in _strings([entry.config, entry.extras])):
        return _unavailable_message(executor, what)
    return ""


def refuse_unknown(executor: str, what: str) -> NoReturn:
    """Raise the error for unknown data.

    Raises:
        GradeError: always.

    """
    raise GradeError(_unavailable_message(executor, what))


def _unavailable_message(executor: str, what: str) -> str:
    return f"not available: the executor '{executor}' does not know {what}"


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            yield from _strings_of(value.values())
        case list() | tuple():
            yield from _strings_of(value)
        case _:
            pass


def _strings_of(values: Iterable[Any]) -> Iterator[str]:
    for it in values:
        yield from _strings(it)


class _GuardedSession(Session):
    """A session in which unknown members raise `GradeError`."""

    _closed: Mapping[str, tuple[str, str]] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, session: Session, executor: str, unknown: frozenset[str]) -> Self:
        """Return a guarded copy of `session`."""
        guard = cls.model_validate(session.model_dump())
        guard._closed = {  # noqa: SLF001  # our own class
            member: (executor, what) for what in unknown & _MEMBERS.keys() for member in _MEMBERS[what]
        }
        return guard

    def __getattribute__(self, name: str) -> Any:
        if name in _GUARDED:
            closed = object.__getattribute__(self, "__pydantic_private__") or {}
            if reason := closed.get("_closed", {}).get(name):
                refuse_unknown(*reason)
        return super().__getattribute__(name)


class _ClosedList(Sequence[Any]):
    """A list of unknown data: reading it raises `GradeError`."""

    def __init__(self, executor: str, what: str) -> None:
        self._executor, self._what = executor, what

    def __getitem__(self, index: Any) -> Any:
        refuse_unknown(self._executor, self._what)

    def __len__(self) -> int:  # noqa: PLE0303  # always raises
        refuse_unknown(self._executor, self._what)

    def __iter__(self) -> Iterator[Any]:
        refuse_unknown(self._executor, self._what)
