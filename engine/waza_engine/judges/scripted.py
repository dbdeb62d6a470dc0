"""A judge that answers from a script: recorded verdicts, tests and the batch door. No model is ever called.

The members are those of a grading context (docs/reference/grade-batch.md): what the judge does in each turn,
how a turn ends, and the one JSON reply for graders that ask without tools.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from waza_engine.model.judge import JudgeCall, JudgeError, JudgeMissing, JudgeRequest, JudgeTurn

_NOTHING = object()


class ScriptedJudge:
    """Plays `turns` in order; a turn beyond the script does nothing and ends well.

    `errors` say how each turn ends: empty = well, `soft` = with an error message, `err` = it raises, `busy` = it raises
    and another try may work. Reminders are turns of their own.
    """

    at_once = 1
    """The script has one order: several questions are put one after the other."""

    def __init__(
        self,
        turns: Sequence[Sequence[JudgeCall]] = (),
        errors: Sequence[str] = (),
        reply: Any = _NOTHING,
        unavailable: str = "",
    ) -> None:
        self._turns = turns
        self._errors = errors
        self._reply = reply
        self._unavailable = unavailable
        self._held = 0

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """The next turn of the script, and more while a reminder is answered; other tools' calls are left out."""
        turn = self._next(request, ())
        reminders = 0
        while not turn.error and request.next_reminder(turn.calls, reminders):
            reminders += 1
            turn = self._next(request, turn.calls)
        return turn

    def _next(self, request: JudgeRequest, before: Sequence[JudgeCall]) -> JudgeTurn:
        number, self._held = self._held, self._held + 1
        offered = {it.name for it in request.tools}
        script = self._turns[number] if number < len(self._turns) else ()
        calls = [*before, *(it for it in script if it.tool in offered)]
        match self._errors[number] if number < len(self._errors) else "":
            case "err" | "busy" as how:
                raise JudgeError("The scripted judge turn failed", calls, transient=how == "busy")
            case "soft":
                return JudgeTurn(calls, error="The scripted judge turn ended with an error")
            case _:
                return JudgeTurn(calls)

    def reply(self, message: str, model: str = "") -> Any:
        """The scripted reply, the same for every question."""
        if self._unavailable == "import_error":
            raise JudgeMissing("The scripted judge is not installed")
        if self._unavailable or self._reply is _NOTHING:
            raise JudgeError("The scripted judge has no reply")
        return self._reply


def scripted_judge(context: Mapping[str, Any]) -> ScriptedJudge:
    """The judge that the `judge_*` members of a grading context describe.

    Raises:
        ValueError: a member is not of the documented shape.

    """
    return ScriptedJudge(
        [_calls(it) for it in _list(context, "judge_tool_calls")],
        [str(it or "") for it in _list(context, "judge_errors")],
        context.get("judge_reply", _NOTHING),
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
