"""vally's judge protocol for a comparison: `submit_pairwise_grade`, with the trials in both orders.

See docs/reference/vally.md, section 7.11. A judge that prefers the first position contradicts itself, which is a tie.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from waza_engine.judges.patience import with_retries
from waza_engine.judges.submit_grade import NoGradeError
from waza_engine.judges.votes import hold_turn
from waza_engine.model.judge import Judge, JudgeCall, JudgeRequest, JudgeTool
from waza_engine.model.results.consumption import added_usage

SUBMIT_PAIRWISE = "submit_pairwise_grade"
Winner = Literal["A", "B", "tie"]
Magnitude = Literal["much-better", "slightly-better", "equal"]
SCORES: Mapping[str, float] = {"much-better": 1.0, "slightly-better": 0.75, "equal": 0.5}
"""The winner's score; the loser gets 1 minus that."""
SIGNED: Mapping[str, float] = {"much-better": 1.0, "slightly-better": 0.4, "equal": 0.0}
"""vally's values since 0.9: positive for the winner, negative for the loser."""


@dataclass(frozen=True, slots=True)
class Preference:
    """Which trial is better, and by how much. `reasons` are pairs of criterion and reason."""

    winner: Winner
    magnitude: Magnitude
    reasoning: str = ""
    reasons: tuple[tuple[str, str], ...] = ()

    @property
    def score(self) -> float:
        """The score of A from 0 to 1; above 0.5 A is better, below 0.5 B."""
        points = SCORES[self.magnitude]
        return 0.5 if self.winner == "tie" else points if self.winner == "A" else 1 - points

    @property
    def signed(self) -> float:
        """The same from -1 (B is much better) to 1 (A is much better)."""
        points = SIGNED[self.magnitude]
        return 0.0 if self.winner == "tie" else points if self.winner == "A" else -points


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers to both orders, with the second one swapped back."""

    first: Preference
    second: Preference
    usage: Mapping[str, Any] = field(default_factory=dict)

    @property
    def consistent(self) -> bool:
        """Whether both answers prefer the same trial."""
        return self.first.winner == self.second.winner

    @property
    def score(self) -> float:
        """From 0 (B) to 1 (A): the mean of both answers, 0.5 if they disagree."""
        return (self.first.score + self.second.score) / 2 if self.consistent else 0.5

    @property
    def signed(self) -> float:
        """From -1 (B) to 1 (A): the mean of both answers, 0 if they disagree."""
        return (self.first.signed + self.second.signed) / 2 if self.consistent else 0.0


def compare_trials(
    judge: Judge, request: JudgeRequest, message: Callable[[bool], str], sleep: Callable[[float], None]
) -> Comparison:
    """Compare A and B. `message(swapped)` has both trials; `request` has the rest.

    Raises:
        JudgeError: the judge did not answer one of the two messages.

    """
    first, usage = _ask(judge, replace(request, message=message(False)), sleep)
    second, more = _ask(judge, replace(request, message=message(True)), sleep)
    swapped: dict[Winner, Winner] = {"A": "B", "B": "A", "tie": "tie"}
    return Comparison(first, replace(second, winner=swapped[second.winner]), added_usage([usage, more]))


def _ask(
    judge: Judge, request: JudgeRequest, sleep: Callable[[float], None]
) -> tuple[Preference, Mapping[str, Any]]:
    request = replace(request, tools=(_TOOL,), only_these_tools=True, reminder=_reminder, retried=True)
    turn = with_retries(lambda: hold_turn(judge, request), sleep)
    for call in reversed(turn.calls):
        if preference := _read(call.arguments):
            return preference, turn.usage
    raise NoGradeError("the judge did not call submit_pairwise_grade with valid arguments", turn.calls)


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
    criteria = arguments.get("criteria")
    reasons = tuple(
        (
            str(item.get("name") or ""),
            f"{item.get('winner')}, {item.get('magnitude')}: {item.get('reasoning') or ''}",
        )
        for item in (criteria if isinstance(criteria, list) else ())
        if isinstance(item, Mapping)
    )
    reasoning = arguments.get("reasoning")
    return Preference(winner, magnitude, reasoning if isinstance(reasoning, str) else "", reasons)
