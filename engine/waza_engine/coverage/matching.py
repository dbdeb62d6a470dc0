"""Decide which clauses of a skill's description the prompts of its evals exercise.

A clause is exercised if one prompt shares at least half of its concepts, where those that few clauses of the description
have count more. It is untested only if nothing speaks for it: a wrong hint is worse than none. `docs/coverage.md` explains
the rules to users.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from waza_engine.coverage.words import CREATING, concepts
from waza_engine.project.skill_prompts import Clause, clauses

_EXERCISED = 0.5
_OPPOSITE = 0.75
"""What a task shares with a clause that the skill is not for: most of its words may be those of the skill's own subject."""
_RELATED = 0.34
_ENOUGH = 2
"""So many words of the description outside of its clauses make a prompt one about the skill's purpose."""
_WEAK = 0.3
"""The weight of verbs such as `write`, which most prompts have."""
_VAGUE = (
    "other ",
    "others",
    "any ",
    "anything",
    "all ",
    "everything",
    "general ",
    "unrelated ",
    "similar ",
    "use ",
    "see ",
)


class State(StrEnum):
    """Whether the prompts exercise a clause."""

    EXERCISED = "exercised"
    UNTESTED = "untested"
    UNCLEAR = "unclear"
    """Nothing shows that a prompt exercises it, and nothing shows that none does."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an agent is asked: the text of a task, or of a trigger test (`should_trigger` is not None).

    `is_negative` is whether a task wants that something does not happen.
    """

    text: str
    should_trigger: bool | None = None
    is_negative: bool = False


@dataclass(frozen=True, slots=True)
class ClauseState:
    """A clause with its state."""

    clause: Clause
    state: State


def clause_states(description: str, prompts: Iterable[Prompt]) -> tuple[ClauseState, ...]:
    """Return the state of each clause that a label such as `USE FOR:` lists, in the order of the text."""
    found = clauses(description)
    listed = [it for it in found if it.is_listed]
    asked = [(it, concepts(it.text)) for it in prompts]
    weights = _weights(listed)
    best = {it: max((_share(it, weights[it], one, its) for one, its in asked), default=0.0) for it in listed}
    purpose = concepts(_without(description, found)) - {CREATING}
    is_certain = {
        is_wanted: all(
            _is_accounted_for(its, purpose, [weights[it] for it in listed if it.is_wanted is is_wanted])
            for one, its in asked
            if _is_about(one, is_wanted=is_wanted)
        )
        for is_wanted in (True, False)
    }
    return tuple(
        ClauseState(
            it, _state(best[it], may_be_untested=is_certain[it.is_wanted] and not _is_vague(it, weights[it]))
        )
        for it in listed
    )


def _state(share: float, *, may_be_untested: bool) -> State:
    if share >= _EXERCISED:
        return State.EXERCISED
    return State.UNTESTED if may_be_untested and share < _RELATED else State.UNCLEAR


def _without(description: str, found: Iterable[Clause]) -> str:
    """Return the description with blanks for its clauses."""
    for it in found:
        description = description[: it.start] + " " * (it.end - it.start) + description[it.end :]
    return description


def _weights(listed: Sequence[Clause]) -> dict[Clause, Mapping[str, float]]:
    """Return the concepts of each clause with their weights: 1 divided by the number of clauses that have it."""
    found = {it: concepts(it.words) for it in listed}
    counts = Counter(concept for its in found.values() for concept in its)
    return {
        clause: {it: (_WEAK if it == CREATING else 1.0) / counts[it] for it in its}
        for clause, its in found.items()
    }


def _share(clause: Clause, weights: Mapping[str, float], prompt: Prompt, asked: frozenset[str]) -> float:
    """Return the share of a clause that a prompt has; 0 if it is of the wrong kind, or has too little of it."""
    if not _may_be(prompt, is_wanted=clause.is_wanted):
        return 0.0
    share = _part(weights, asked)
    is_opposite = prompt.should_trigger is None and not clause.is_wanted and not prompt.is_negative
    return min(share, _EXERCISED - 0.01) if is_opposite and share < _OPPOSITE else share


def _may_be(prompt: Prompt, *, is_wanted: bool) -> bool:
    """Whether a prompt can exercise clauses of this kind. Tasks can both: not all negative tests are recognised."""
    return prompt.should_trigger is None or prompt.should_trigger is is_wanted


def _is_about(prompt: Prompt, *, is_wanted: bool) -> bool:
    """Whether a prompt is probably of this kind. A task rather asks for what the skill is for."""
    is_positive = not prompt.is_negative if prompt.should_trigger is None else prompt.should_trigger
    return is_positive is is_wanted


def _is_accounted_for(
    asked: frozenset[str], purpose: frozenset[str], clauses: Iterable[Mapping[str, float]]
) -> bool:
    """Whether it is known what a prompt is about. If not, it may be a paraphrase of any clause."""
    return len(asked & purpose) >= _ENOUGH or any(_part(it, asked) >= _EXERCISED for it in clauses)


def _part(weights: Mapping[str, float], asked: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(it for concept, it in weights.items() if concept in asked) / total if total else 0.0


def _is_vague(clause: Clause, weights: Mapping[str, float]) -> bool:
    """Whether no prompt could be recognised: `other platforms`, `anything else`."""
    return weights.keys() <= {CREATING} or clause.words.casefold().startswith(_VAGUE)
