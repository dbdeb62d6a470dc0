"""How a judge passes and fails an output: by calling one of two tools, any number of times."""

from collections.abc import Iterable
from dataclasses import dataclass

from waza_engine.model.judge import Judge, JudgeCall, JudgeError, JudgeRequest, JudgeTool, JudgeTurn

PASS_TOOL = "set_waza_grade_pass"  # noqa: S105  # a tool's name, no password
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
    """The judge's votes as readable entries, in order."""

    passes: tuple[str, ...]
    fails: tuple[str, ...]

    @property
    def score(self) -> float:
        """The share of votes that pass; 0 without any vote."""
        total = len(self.passes) + len(self.fails)
        return len(self.passes) / total if total else 0.0

    @property
    def passed(self) -> bool:
        """At least one vote passes and none fails."""
        return bool(self.passes) and not self.fails


def counted(calls: Iterable[JudgeCall]) -> Votes:
    """The votes among `calls`; other tools do not count."""
    passes: list[str] = []
    fails: list[str] = []
    for it in calls:
        if it.tool == PASS_TOOL:
            passes.append(_entry("pass", it))
        elif it.tool == FAIL_TOOL:
            fails.append(_entry("fail", it))
    return Votes(tuple(passes), tuple(fails))


def hold_turn(judge: Judge, request: JudgeRequest) -> JudgeTurn:
    """One turn. It may end badly once the judge has called an offered tool: what it said counts.

    Raises:
        JudgeError: the turn ended badly before any such call.

    """
    transient = False
    try:
        turn = judge.turn(request)
    except JudgeError as error:
        turn, transient = JudgeTurn(error.calls, error=str(error) or "the turn failed"), error.transient
    offered = {it.name for it in request.tools}
    if turn.error and not any(it.tool in offered for it in turn.calls):
        raise JudgeError(turn.error, turn.calls, transient=transient)
    return turn


def _entry(word: str, call: JudgeCall) -> str:
    """`pass: description: reason`; arguments that are no texts leave the bare word, the vote counts all the same."""
    parts = [call.arguments.get(it) for it in ("description", "reason")]
    texts = ["" if it is None else it for it in parts]
    is_told = not call.unreadable and all(isinstance(it, str) for it in texts)
    return ": ".join([word, *texts]) if is_told else word
