"""How a judge compares two trials: `submit_pairwise_grade`, asked in both orders.

See docs/reference/vally.md, section 7.11.

A judge that likes the first place better contradicts itself, and that is a tie.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from waza_engine.judges.patience import patiently
from waza_engine.judges.submit_grade import NoGradeError
from waza_engine.judges.votes import hold_turn
from waza_engine.model.judge import Judge, JudgeCall, JudgeRequest, JudgeTool

SUBMIT_PAIRWISE = "submit_pairwise_grade"
Winner = Literal["A", "B", "tie"]
Magnitude = Literal["much-better", "slightly-better", "equal"]
SCORES: Mapping[str, float] = {"much-better": 1.0, "slightly-better": 0.75, "equal": 0.5}
"""What the winner gets; the other one gets the rest to 1."""
SIGNED: Mapping[str, float] = {"much-better": 1.0, "slightly-better": 0.4, "equal": 0.0}
"""vally's figures since 0.9: for the winner, negative for the other one."""


@dataclass(frozen=True, slots=True)
class Preference:
    """Which of two is better, and by how much. `reasons` are those for single criteria, by name."""

    winner: Winner
    magnitude: Magnitude
    reasoning: str = ""
    reasons: tuple[tuple[str, str], ...] = ()

    @property
    def score(self) -> float:
        """How much better A is: above 0.5 it is, below B is."""
        points = SCORES[self.magnitude]
        return 0.5 if self.winner == "tie" else points if self.winner == "A" else 1 - points

    @property
    def signed(self) -> float:
        """The same from -1 (B is much better) to 1 (A is)."""
        points = SIGNED[self.magnitude]
        return 0.0 if self.winner == "tie" else points if self.winner == "A" else -points


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both answers, seen with A in its own place, and what they come to."""

    first: Preference
    second: Preference
    usage: Mapping[str, Any] = field(default_factory=dict)

    @property
    def consistent(self) -> bool:
        """Whether both prefer the same one."""
        return self.first.winner == self.second.winner

    @property
    def score(self) -> float:
        """From 0 (B) to 1 (A): the mean of both answers, a tie when they disagree."""
        return (self.first.score + self.second.score) / 2 if self.consistent else 0.5

    @property
    def signed(self) -> float:
        """From -1 (B) to 1 (A)."""
        return (self.first.signed + self.second.signed) / 2 if self.consistent else 0.0


def preferred(
    judge: Judge, request: JudgeRequest, shown: Callable[[bool], str], sleep: Callable[[float], None]
) -> Comparison:
    """Compare A and B. `shown(swapped)` is the message with both; `request` holds the rest.

    Raises:
        JudgeError: one of the two answers could not be had.

    """
    first, usage = _asked(judge, replace(request, message=shown(False)), sleep)
    second, _ = _asked(judge, replace(request, message=shown(True)), sleep)
    swapped: dict[Winner, Winner] = {"A": "B", "B": "A", "tie": "tie"}
    return Comparison(first, replace(second, winner=swapped[second.winner]), usage)


def _asked(
    judge: Judge, request: JudgeRequest, sleep: Callable[[float], None]
) -> tuple[Preference, Mapping[str, Any]]:
    asked = replace(request, tools=(_TOOL,), only_these_tools=True, reminder=_reminder, retried=True)
    turn = patiently(lambda: hold_turn(judge, asked), sleep)
    for call in reversed(turn.calls):
        if preference := _read(call.arguments):
            return preference, turn.usage
    raise NoGradeError("the judge did not call submit_pairwise_grade as it should", turn.calls)


_CHOICE: dict[str, Any] = {
    "winner": {"type": "string", "enum": ["A", "B", "tie"], "description": "Which one is better."},
    "magnitude": {"type": "string", "enum": list(SCORES), "description": "How much better it is."},
    "reasoning": {"type": "string", "description": "Why."},
}
_TOOL = JudgeTool(
    SUBMIT_PAIRWISE,
    "Submit which one is better. Call it exactly once.",
    {
        "type": "object",
        "properties": {
            "criteria": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, **_CHOICE},
                    "required": ["name", *_CHOICE],
                },
            },
            **_CHOICE,
        },
        "required": ["criteria", *_CHOICE],
    },
)


_WINNERS: Mapping[str, Winner] = {"A": "A", "B": "B", "tie": "tie"}
_MAGNITUDES: Mapping[str, Magnitude] = {
    "much-better": "much-better",
    "slightly-better": "slightly-better",
    "equal": "equal",
}


def _reminder(calls: Sequence[JudgeCall]) -> str:
    if any(_read(it.arguments) for it in calls):
        return ""
    return (
        "Call submit_pairwise_grade now, exactly once: winner is A, B or tie; magnitude is much-better, "
        "slightly-better or equal; give your reasoning for each criterion and for the whole."
    )


def _read(arguments: Mapping[str, Any]) -> Preference | None:
    winner = _WINNERS.get(str(arguments.get("winner")))
    magnitude = _MAGNITUDES.get(str(arguments.get("magnitude")))
    if winner is None or (magnitude is None and winner != "tie"):
        return None
    if winner == "tie" or magnitude is None or magnitude == "equal":
        winner, magnitude = "tie", "equal"
    listed = arguments.get("criteria")
    reasons = tuple(
        (str(it.get("name") or ""), f"{it.get('winner')}, {it.get('magnitude')}: {it.get('reasoning') or ''}")
        for it in (listed if isinstance(listed, list) else ())
        if isinstance(it, Mapping)
    )
    reasoning = arguments.get("reasoning")
    return Preference(winner, magnitude, reasoning if isinstance(reasoning, str) else "", reasons)
