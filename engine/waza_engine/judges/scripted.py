"""A judge that answers from a script, for recorded verdicts, tests and batch grading. It never calls a model.

The script is part of a grading context (docs/reference/grade-batch.md): the judge's calls in each turn, the end of each
turn, and one JSON reply for graders that ask without tools.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from waza_engine.model.judge import JudgeCall, JudgeError, JudgeMissing, JudgeRequest, JudgeTurn

_NO_REPLY = object()


class ScriptedJudge:
    """Plays `turns` in order. A turn beyond the script does nothing and succeeds.

    `errors` has the end of each turn: empty = success, `soft` = an error message, `err` = an exception, `busy` = a
    transient exception. Each reminder is a turn of its own.
    """

    at_once = 1
    """The script has an order, so there is one request at a time."""

    def __init__(
        self,
        turns: Sequence[Sequence[JudgeCall]] = (),
        errors: Sequence[str] = (),
        reply: Any = _NO_REPLY,
        unavailable: str = "",
    ) -> None:
        self._turns = turns
        self._errors = errors
        self._reply = reply
        self._unavailable = unavailable
        self._count = 0

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Play the next turn, and one more for each reminder. Calls of tools that the request lacks are left out."""
        turn = self._next(request, ())
        reminders = 0
        while not turn.error and request.next_reminder(turn.calls, reminders):
            reminders += 1
            turn = self._next(request, turn.calls)
        return turn

    def _next(self, request: JudgeRequest, before: Sequence[JudgeCall]) -> JudgeTurn:
        number, self._count = self._count, self._count + 1
        names = {it.name for it in request.tools}
        script = self._turns[number] if number < len(self._turns) else ()
        calls = [*before, *(it for it in script if it.tool in names)]
        match self._errors[number] if number < len(self._errors) else "":
            case "err" | "busy" as how:
                raise JudgeError("The scripted judge turn failed", calls, transient=how == "busy")
            case "soft":
                return JudgeTurn(calls, error="The scripted judge turn ended with an error")
            case _:
                return JudgeTurn(calls)

    def reply(self, message: str, model: str = "") -> Any:
        """Return the scripted reply, the same for every message."""
        if self._unavailable == "import_error":
            raise JudgeMissing("The scripted judge is not installed")
        if self._unavailable or self._reply is _NO_REPLY:
            raise JudgeError("The scripted judge has no reply")
        return self._reply


CONTEXT_MEMBERS = ("judge_tool_calls", "judge_errors", "judge_reply", "judge_unavailable")
"""The members of a grading context that `scripted_judge` reads."""


def scripted_judge(context: Mapping[str, Any]) -> ScriptedJudge:
    """Return the judge described by the `judge_*` members of a grading context.

    Raises:
        ValueError: a member does not have the documented shape.

    """
    return ScriptedJudge(
        [_calls(it) for it in _list(context, "judge_tool_calls")],
        [str(it or "") for it in _list(context, "judge_errors")],
        context.get("judge_reply", _NO_REPLY),
        str(context.get("judge_unavailable") or ""),
    )


def _list(context: Mapping[str, Any], member: str) -> list[Any]:
    value = [] if context.get(member) is None else context[member]
    if not isinstance(value, list):
        raise ValueError(f"'{member}' must be a list with one item per judge turn")  # noqa: TRY004  # bad input, not a bug
    return value


def _calls(turn: Any) -> list[JudgeCall]:
    calls = [] if turn is None else turn
    if not isinstance(calls, list) or not all(isinstance(it, Mapping) for it in calls):
        raise ValueError("Each item of 'judge_tool_calls' is a list of {tool, args}")
    return [JudgeCall.of(str(it.get("tool", "")), it.get("args")) for it in calls]
