"""What a task wants: work, a refusal, or that something does not happen. Read from the file's own words.

A negative test passes for an agent that does nothing, and rightly so. It must not be accused of it. Words in a name also
describe work ("reject invalid input in the parser"). They describe it if the prompt has them as well: the user of a negative test does
not know that it is one.
"""

import re
from collections.abc import Sequence
from enum import Enum

from waza_engine.audit.own_words import phrases as words
from waza_engine.audit.own_words.checks import demands, forbids, forbids_deeds, options
from waza_engine.model.suite import GraderEntry, Suite, Task


class Intent(Enum):
    """What a task wants of the agent."""

    WORK = "work"
    REFUSAL = "refusal"
    NOTHING = "nothing"
    """Something must not happen: a skill must not load, a tool must not be called, a file must not change."""


def intent_of(suite: Suite, task: Task, *, is_marked: bool = False) -> Intent:
    """Return what a task wants. `is_marked` says whether its file marks it as a negative test."""
    if is_marked:
        return Intent.NOTHING
    named = _Names(suite, task)
    graders = task.graders or suite.graders
    is_demanding = any(task.expected.get(it) for it in _POSITIVE_TEXTS) or any(map(demands, graders))
    told = "\n".join([task.description, *task.rubric])
    if named.has_tag(words.REFUSAL_TAG) or named.has(words.REFUSING_NAME) or words.REFUSAL_TOLD.search(told):
        return Intent.REFUSAL
    if named.has_tag(words.SAFETY_TAG) and not is_demanding:
        return Intent.REFUSAL
    is_idle = named.has(words.IDLE_NAME) or bool(words.NOTHING_ASKED.search(task.prompt))
    if (
        named.has_tag(words.NEGATIVE_TAG)
        or named.has(words.NEGATIVE_NAME)
        or named.has(words.ASKING_NAME)
        or words.NOTHING_TOLD.search(told)
        or is_idle
    ):
        return Intent.NOTHING
    if not is_demanding and (named.has(words.LIMITING_NAME) or _only_forbids(graders, task)):
        return Intent.NOTHING
    return Intent.WORK


_POSITIVE_TEXTS = ("output_contains", "output_contains_any")


class _Names:
    """The words of a task's names and tags."""

    def __init__(self, suite: Suite, task: Task) -> None:
        names = [task.id, task.name, suite.name]
        if task.path is not None and not task.pointer and task.path != suite.path:
            names.append(task.path.stem)
            names.append(task.path.parent.name)
        self._names = [_spaced(it) for it in dict.fromkeys(names)]
        # `negative=true` says as much as the tag `negative`.
        self._tags = [_spaced(key if value in {"", "true"} else value) for key, _, value in _parts(task.tags)]
        self._prompt = _spaced(" ".join([task.prompt, *task.follow_ups])).lower()

    def has_tag(self, pattern: re.Pattern[str]) -> bool:
        return any(map(pattern.match, self._tags))

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether a name has such words, and the prompt does not."""
        found = (match for name in self._names for match in pattern.finditer(name))
        return any(not self._is_asked_for(it[0].lower()) for it in found)

    def _is_asked_for(self, name: str) -> bool:
        """Whether the user asks for what these words of a name say, or sets them as a limit of the work."""
        told = [it for it in re.findall(r"\w+", name) if not _SMALL.fullmatch(it)]
        if not told:
            return False
        is_negated = bool(_NEGATION.search(name))
        for word in told:
            stem = re.escape(word[: max(4, len(word) - 3)])
            before = (
                r"(?:\b(?:not|no|never|without|nothing|only)|n't)\W+(?:\w+\W+){0,3}?" if is_negated else r"\b"
            )
            if not re.search(before + stem, self._prompt):
                return False
        return True


_NEGATION = re.compile(r"\b(?:not|never|without|cannot|no)\b|n't")
_SMALL = re.compile(
    "should|must|shall|do|does|did|will|can|not|nt|never|without|cannot|no|non|anti|the|a|an|is|are|be|it|agent|skill|to|of"
)
_LIMIT = re.compile(r"(?:\b(?:not|never|without|no)|n't)\s+(\w{3,})|\b(\w{3,})\s+nothing\b", re.IGNORECASE)
"""What the user says that the agent must not do."""


def _parts(tags: Sequence[str]) -> list[tuple[str, str, str]]:
    return [it.partition("=") for it in tags]


def _spaced(text: str) -> str:
    return re.sub(r"[_\-\s]+", " ", text).strip()


def _only_forbids(graders: Sequence[GraderEntry], task: Task) -> bool:
    """Whether the checks only forbid calls, skills or changes. Forbidden words alone do not make a negative test.

    Neither does a limit that the user sets as well: "List them, but do not edit the file".
    """
    if any(task.expected.values()):
        return False
    limits = [(one or other).lower() for one, other in _LIMIT.findall(task.prompt)]
    forbidden = str([options(it) for it in graders if forbids_deeds(it)]).lower()
    if any(re.search(rf"\b{re.escape(it)}", forbidden) for it in limits):
        return False
    return any(map(forbids_deeds, graders)) or any(forbids(it.key) for it in task.constraints)
