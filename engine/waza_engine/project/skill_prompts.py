"""Read the prompts out of a skill's description: the requests that it is for, and those that it is not for.

Descriptions list them after labels such as `USE FOR:`, `WHEN:` and `DO NOT USE FOR:` (docs/reference/waza-formats.md,
section 8), or in a sentence: "Use when the user asks to ...". This is for a first draft that the author edits, so it
reads more than the `trigger` grader does.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LABEL = re.compile(
    r"(?P<never>\b(?:do\s+not|don'?t|not|never)\s+(?:be\s+)?(?:use[d]?\s+)?(?:it\s+|this\s+(?:skill\s+)?)?(?:for|when|if)\b:?)"
    r"|(?P<use>\b(?:use|used|invoke)\s+(?:it\s+|this\s+(?:skill\s+)?)?(?:for|when|whenever|if)\b:?|\bWHEN\b:?|\btriggers?(?:\s+on)?:)"
    r"|(?P<other>(?<![\w'\"])(?-i:[A-Z][A-Z\s]{3,}:))",
    re.IGNORECASE,
)
_QUOTED = re.compile('["\u201c\u201d]([^"\u201c\u201d]+)["\u201c\u201d]')
_NOTE = re.compile(r"\([^()]*\)")
_SPLIT = re.compile(r"[,;]|\.\s|\.$|\s-\s|\bor\s+(?:when|if)\b", re.IGNORECASE)
_LEAD = re.compile(r"\s*(?:and|or|also|e\.g|such as|prompts like)\b[:.]?\s*", re.IGNORECASE)
_USER = re.compile(
    r"\s*(?:the\s+|a\s+)?users?\s+(?:asks?|wants?|needs?|says?|requests?|mentions?)(?:\s+(?:to|for|you to|about|how to))?\s+|"
    r"\s*(?:asked|asking|you\s+(?:need|want)|someone\s+(?:asks|wants))\s+(?:to|for|about)\s+",
    re.IGNORECASE,
)
_MARGIN = " .:-\u2014\t\r\n"
_MOST = 10


def purpose(description: str) -> str:
    """Return the first sentence of a description, before any label."""
    text = " ".join(description.split())
    before = text[: next((start for _, start, _ in _labels(text)), len(text))]
    return re.split(r"(?<=[.!?])\s", before.strip(), maxsplit=1)[0].strip()


class Clause(NamedTuple):
    """One request in a description, with its place there.

    `is_wanted` is whether the skill is for it. `is_listed` is whether it follows a label such as `USE FOR:`; otherwise it
    was read out of a sentence. `words` are those of the description, `text` is the request as a user would type it.
    Neither has line breaks.
    """

    text: str
    words: str
    is_wanted: bool
    is_listed: bool
    start: int
    end: int


def clauses(description: str) -> list[Clause]:
    """Return the requests that the skill is for, and those that it is not for, in the order of the text."""
    labels = [*_labels(description)]
    found = []
    for index, (kind, start, end) in enumerate(labels):
        until = labels[index + 1][1] if index + 1 < len(labels) else len(description)
        label = description[start:end]
        if kind != "other":
            is_listed = label.isupper() or label.endswith(":")
            found += [
                Clause(prompt, words, kind == "use", is_listed, end + first, end + last)
                for prompt, words, first, last in _items(description[end:until])
            ]
    return found


def prompts(description: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the prompts that the skill is for, and those that it is not for."""
    found = clauses(description)
    wanted = dict.fromkeys(it.text for it in found if it.is_wanted)
    unwanted = dict.fromkeys(it.text for it in found if not it.is_wanted)
    return tuple(it for it in wanted if it not in unwanted)[:_MOST], tuple(unwanted)[:_MOST]


def _labels(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind, start and end of each label outside of quotes."""
    quotes = [it.span() for it in _QUOTED.finditer(text)]
    for found in _LABEL.finditer(text):
        if any(start < found.start() < end for start, end in quotes):
            continue
        kind = found.lastgroup or "other"
        # In the middle of a sentence, "when" and words before a colon are no labels.
        if kind == "other" and not found[0].isupper():
            continue
        if kind == "use" and found[0].casefold().startswith("when") and not found[0].startswith("WHEN"):
            continue
        yield kind, *found.span()


def _items(listed: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the items of a list as prompts, with their words, start and end."""
    quoted = [*_QUOTED.finditer(listed)]
    for start, end in (it.span(1) for it in quoted) if quoted else _parts(listed):
        found = listed[start:end] if quoted else _without_notes(listed[start:end])
        text = " ".join(found.split())
        if any(letter.isalnum() for letter in text):
            yield _as_prompt(text, quoted=bool(quoted)), text, start, end


def _parts(listed: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part between separators, without the words before the request itself."""
    # Blanks for notes, so that commas in them separate nothing.
    text = _without_notes(listed)
    start = 0
    for stop, following in [*(it.span() for it in _SPLIT.finditer(text)), (len(text), len(text))]:
        part = text[start:stop]
        first = start + len(part) - len(part.lstrip(_MARGIN))
        last = start + len(part.rstrip(_MARGIN))
        for lead in (_LEAD, _USER):
            found = lead.match(text, first, max(first, last))
            first = found.end() if found is not None else first
        if first < last:
            yield first, last
        start = following


def _without_notes(text: str) -> str:
    return _NOTE.sub(lambda it: " " * len(it[0]), text)


def _as_prompt(text: str, *, quoted: bool) -> str:
    """Return the words of a user: quoted ones unchanged, a gerund as a request for help with it."""
    first = text.split(maxsplit=1)[0]
    if not quoted and first.casefold().endswith("ing") and len(first) > 4:
        return f"Help me with {text}"
    return text[0].upper() + text[1:]
