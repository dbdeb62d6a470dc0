"""Drafts graders from recorded trials: each grader type proposes one, and those that pass are kept."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waza_engine.graders.base import ConfigError, DraftedGrader, GradeError, Grader, GradingContext
from waza_engine.lib.go.text import decode, fold


@dataclass(frozen=True, slots=True)
class GraderDraft:
    """A drafted grader: `entry` is the item for a list of graders, `about` says what it requires."""

    type: str
    about: str
    entry: Mapping[str, Any]


def grader_drafts(kinds: Iterable[type[Grader]], trials: Sequence[GradingContext]) -> Iterator[GraderDraft]:
    """Yield the graders drafted from the trials of one task, by type; each passes on all trials."""
    if not trials:
        return
    for kind in sorted(kinds, key=lambda it: it.type_name):
        drafted = None if kind.outdated else _passing_draft(kind, trials)
        if drafted is not None:
            config = drafted.config.model_dump(mode="json", by_alias=True, exclude_defaults=True)
            entry = {"type": kind.type_name, "name": drafted.name, "config": config}
            yield GraderDraft(kind.type_name, drafted.about, entry)


def _passing_draft(kind: type[Grader], trials: Sequence[GradingContext]) -> DraftedGrader | None:
    # A grader cannot require what the executor does not record.
    with suppress(GradeError, ConfigError):
        drafted = kind.draft(trials)
        if drafted is not None and all(drafted.config.grade(it).passed for it in trials):
            return drafted
    return None


_LOOKED_AT = 20_000
"""Only so many characters of an output are searched for phrases."""
_SHORTEST, _LONGEST = 3, 60
_LARGEST, _WIDEST = 200_000, 120
"""The largest file that is compared, in bytes, and the longest line that a draft requires."""
_FORMS = (
    re.compile(r"`([^`\n]{3,60})`"),
    re.compile(r"\*\*([^*\n]{3,60})\*\*"),
    re.compile(r"(?<![\w./:-])\w+(?:[./_:-]+\w+)+(?![\w./:-])"),
    re.compile(r"\b[A-Za-z]\w{8,30}\b"),
)
"""The forms of useful phrases, the most specific first: code, emphasis, a name or path, a long word."""


def common_tools(trials: Sequence[GradingContext]) -> list[str]:
    """Return the tools that every trial used, in the order of the first one."""
    used = [list(it.session.tools_used) if it.session is not None else [] for it in trials]
    return [name for name in dict.fromkeys(used[0] if used else ()) if all(name in it for it in used)]


def common_files(trials: Sequence[GradingContext]) -> list[str]:
    """Return the files that every trial created; empty if the files before a trial are unknown."""
    made = [it.captured_files.keys() - _before(it).keys() for it in trials if it.baseline_files is not None]
    return sorted(set.intersection(*made)) if made and len(made) == len(trials) else []


def common_lines(trials: Sequence[GradingContext]) -> dict[str, str]:
    """Return the files that every trial changed, each with the longest line that every trial added to it."""
    first = _before(trials[0]) if trials else {}
    found: dict[str, str] = {}
    for name in sorted(first):
        written = [_new_lines(_before(it).get(name), it.captured_files.get(name)) for it in trials]
        lines = set.intersection(*written)
        if lines:
            found[name] = max(lines, key=lambda it: (len(it), it))
    return found


def _before(trial: GradingContext) -> Mapping[str, bytes]:
    return trial.baseline_files or {}


def _new_lines(before: bytes | None, after: bytes | None) -> set[str]:
    if before is None or after is None or before == after or b"\0" in after or len(after) > _LARGEST:
        return set()
    known = {it.strip() for it in decode(before).splitlines()}
    new = {it.strip() for it in decode(after).splitlines()} - known
    return {it for it in new if _SHORTEST <= len(it) <= _WIDEST}


def common_phrases(trials: Sequence[GradingContext], most: int) -> list[str]:
    """Return phrases that are in every output but not in the prompt, the most specific first.

    A phrase of the prompt would prove nothing, because an agent may just repeat the prompt.
    """
    if not trials:
        return []
    outputs = [fold(it.output) for it in trials]
    prompt = fold(trials[0].prompt or "")
    found: list[str] = []
    for phrase in _candidates(trials[0].output[:_LOOKED_AT]):
        text = fold(phrase)
        is_new = not any(text in fold(it) or fold(it) in text for it in found)
        if is_new and text not in prompt and all(text in it for it in outputs):
            found.append(phrase)
            if len(found) == most:
                break
    return found


def _candidates(output: str) -> Iterator[str]:
    for form in _FORMS:
        matches: Iterable[str] = (it.group(it.lastindex or 0).strip() for it in form.finditer(output))
        yield from (it for it in dict.fromkeys(matches) if _SHORTEST <= len(it) <= _LONGEST)
