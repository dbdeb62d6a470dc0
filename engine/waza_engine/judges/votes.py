"""waza's judge protocol: the judge votes by calling a pass tool and a fail tool, any number of times."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from waza_engine.model.judge import Judge, JudgeCall, JudgeError, JudgeRequest, JudgeTool, JudgeTurn

PASS_TOOL = "set_waza_grade_pass"  # noqa: S105  # a tool's name, not a password
FAIL_TOOL = "set_waza_grade_fail"
_PARAMETERS = {
    "type": "object",
    "properties": {
        "description": {"type": "string", "description": "What was checked, in a few words."},
        "reason": {"type": "string", "description": "Why the verdict is what it is."},
    },
}
VOTE_TOOLS = (
    JudgeTool(
        PASS_TOOL, "Record that a check passed. Call it once for every check that passed.", _PARAMETERS
    ),
    JudgeTool(
        FAIL_TOOL, "Record that a check failed. Call it once for every check that failed.", _PARAMETERS
    ),
)


@dataclass(frozen=True, slots=True)
class Votes:
    """The judge's votes as readable lines, in order."""

    passes: tuple[str, ...]
    fails: tuple[str, ...]

    @property
    def score(self) -> float:
        """The share of pass votes; 0 without any vote."""
        total = len(self.passes) + len(self.fails)
        return len(self.passes) / total if total else 0.0

    @property
    def passed(self) -> bool:
        """Whether there is a pass vote and no fail vote."""
        return bool(self.passes) and not self.fails


def count_votes(calls: Iterable[JudgeCall]) -> Votes:
    """Return the votes among `calls`; other tools do not count."""
    passes: list[str] = []
    fails: list[str] = []
    for call in calls:
        if call.tool == PASS_TOOL:
            passes.append(_entry("pass", call))
        elif call.tool == FAIL_TOOL:
            fails.append(_entry("fail", call))
    return Votes(tuple(passes), tuple(fails))


def is_settled(calls: Sequence[JudgeCall]) -> bool:
    """Return whether no further vote can change the verdict."""
    return bool(count_votes(calls).fails)


def hold_turn(
    judge: Judge, request: JudgeRequest, is_settled: Callable[[Sequence[JudgeCall]], bool] = bool
) -> JudgeTurn:
    """Run one turn. If it fails after a call of one of the request's tools, the calls still count.

    After an outage in the middle, they count only if `is_settled`: whatever the judge had called, the verdict is the same.

    Raises:
        JudgeError: the turn failed before any such call.

    """
    failure = JudgeError("")
    try:
        turn = judge.turn(request)
    except JudgeError as error:
        turn, failure = JudgeTurn(error.calls, error=str(error) or "the turn failed"), error
    names = {it.name for it in request.tools}
    calls = [it for it in turn.calls if it.tool in names]
    is_cut = failure.transient and not is_settled(calls)
    if turn.error and (is_cut or not calls):
        raise JudgeError(turn.error, turn.calls, transient=failure.transient, retry_after=failure.retry_after)
    return turn


def _entry(word: str, call: JudgeCall) -> str:
    """`pass: description: reason`. With arguments that are not strings only the word; the vote still counts."""
    parts = [call.arguments.get(it) for it in ("description", "reason")]
    texts = ["" if it is None else it for it in parts]
    is_readable = not call.unreadable and all(isinstance(it, str) for it in texts)
    return ": ".join([word, *texts]) if is_readable else word
