"""waza's pairwise comparison: two judge turns, with the outputs in both orders.

See docs/reference/waza-graders.md, section 5.6.4. A judge that prefers the first position contradicts itself, which is
a tie.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from waza_engine.judges.votes import hold_turn
from waza_engine.model.judge import Judge, JudgeRequest, JudgeTool

Winner = Literal["baseline", "skill", "tie"]
_TOOL = JudgeTool(
    "set_pairwise_winner",
    "Record which output is better. Call it exactly once.",
    {
        "type": "object",
        "properties": {
            "winner": {"type": "string", "enum": ["A", "B", "tie"], "description": "The better output."},
            "magnitude": {
                "type": "string",
                "enum": ["much-better", "slightly-better", "equal"],
                "description": "How much better it is.",
            },
            "reasoning": {"type": "string", "description": "Why."},
        },
        "required": ["winner", "magnitude", "reasoning"],
    },
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of both turns. `consistent`: both turns chose the same output."""

    winner: Winner
    magnitude: str
    reasoning: str
    consistent: bool


def compare_outputs(
    judge: Judge, request: JudgeRequest, rubric: str, baseline: str, skill: str
) -> Comparison:
    """Compare `baseline` and `skill`; `request` has everything but message and tools.

    Raises:
        JudgeError: a turn failed before the judge chose.

    """
    first = _turn(judge, request, rubric, {"A": baseline, "B": skill})
    second = _turn(judge, request, rubric, {"A": skill, "B": baseline})
    first_winner: Winner = _winner(first, {"A": "baseline", "B": "skill"})
    second_winner: Winner = _winner(second, {"A": "skill", "B": "baseline"})
    reasoning = _text(first, "reasoning")
    if first_winner != second_winner:
        return Comparison("tie", "equal", reasoning, consistent=False)
    return Comparison(first_winner, _text(first, "magnitude"), reasoning, consistent=True)


def _turn(judge: Judge, request: JudgeRequest, rubric: str, outputs: Mapping[str, str]) -> Mapping[str, Any]:
    """The arguments of the last choice; no choice is a tie."""
    turn = hold_turn(judge, replace(request, message=_message(rubric, outputs), tools=(_TOOL,)))
    choices = [it.arguments for it in turn.calls if it.tool == _TOOL.name]
    return choices[-1] if choices else {"winner": "tie", "magnitude": "equal"}


def _winner(choice: Mapping[str, Any], places: Mapping[str, Winner]) -> Winner:
    return places.get(_text(choice, "winner"), "tie")


def _text(choice: Mapping[str, Any], name: str) -> str:
    value = choice.get(name)
    return value if isinstance(value, str) else ""


def _message(rubric: str, outputs: Mapping[str, str]) -> str:
    shown = "\n\n".join(f"## Output {name}\n\n{_fenced(text)}" for name, text in outputs.items())
    return (
        "Two outputs were made for the same task. Judge them by this rubric:\n\n"
        f"{rubric}\n\n{shown}\n\n"
        f"Which output is better? Call the tool {_TOOL.name} exactly once with your verdict; "
        "the order of the outputs means nothing."
    )


def _fenced(text: str) -> str:
    """`text` in a code fence that is longer than any inside it."""
    longest = max((len(it) for it in text.replace("\n", " ").split(" ") if set(it) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
