"""Estimate how relevant a prompt is to a skill, from the words and phrases of its SKILL.md.

See docs/reference/waza-graders.md, section 5.13.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from waza_engine.lib.go.text import fold, trim
from waza_engine.lib.yaml.reader import YamlError, read_front
from waza_engine.model.fields import Text

_STOP_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "this",
        "that",
        "from",
        "into",
        "your",
        "you",
        "are",
        "was",
        "were",
        "what",
        "where",
        "how",
        "why",
        "not",
        "can",
        "should",
        "using",
        "about",
        "have",
        "has",
        "had",
        "but",
        "all",
        "any",
        "too",
        "out",
        "get",
        "let",
    ]
)
_SHORTEST = 3
_NOT_FOR = "do not use for:"
_FOR = "use for:"
_ENDS = (_NOT_FOR, "invokes:", "for single operations:")
_QUOTED = re.compile('["\u201c\u201d]([^"\u201c\u201d]+)["\u201c\u201d]')
_NOTE = re.compile(r"\s*\([^()]*\)\s*$")


class SkillTextError(ValueError):
    """A SKILL.md cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class SkillText:
    """The keywords of a skill, and the phrases of its `USE FOR:` list."""

    keywords: frozenset[str]
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relevance:
    """The relevance of a prompt to a skill, 0..1, and the matching keywords."""

    score: float = 0.0
    phrase_score: float = 0.0
    matched: tuple[str, ...] = ()


def read_skill(text: str) -> SkillText:
    """Read the keywords and phrases of a SKILL.md.

    Raises:
        SkillTextError: the text is blank, its front matter is broken, or it has no usable words.

    """
    if not trim(text):
        raise SkillTextError("the file is blank")
    front, body = _parts(text)
    phrases = _phrases(front.description)
    purpose = front.description[: _index(fold(front.description), _NOT_FOR)]
    keywords = frozenset(tokens(" ".join([front.name, purpose, body, *phrases])))
    if not keywords:
        raise SkillTextError("the file has no usable words")
    return SkillText(keywords, tuple(phrases))


def relevance(skill: SkillText, prompt: str) -> Relevance:
    """Return the relevance of `prompt` to `skill`: its best word or phrase match."""
    distinct = list(dict.fromkeys(tokens(prompt)))
    if not distinct:
        return Relevance()
    matched = tuple(it for it in distinct if it in skill.keywords)
    phrase_score = max((_phrase_score(it, fold(prompt), distinct) for it in skill.phrases), default=0.0)
    return Relevance(max(len(matched) / len(distinct), phrase_score), phrase_score, matched)


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without stop words and words under three bytes."""
    words = "".join(it if unicodedata.category(it)[0] in "LN" else " " for it in fold(text)).split()
    return [it for it in words if len(it.encode()) >= _SHORTEST and it not in _STOP_WORDS]


def _phrase_score(phrase: str, prompt: str, distinct: Sequence[str]) -> float:
    if fold(phrase) in prompt:
        return 1.0
    words = tokens(phrase)
    return sum(it in distinct for it in words) / len(words) if words else 0.0


class _FrontMatter(BaseModel):
    model_config = ConfigDict(extra="ignore", defer_build=True)

    name: Text = ""
    description: Text = ""


def _parts(text: str) -> tuple[_FrontMatter, str]:
    if not text.startswith("---"):
        return _FrontMatter(), text
    header, closing, body = text.removeprefix("---").partition("\n---")
    if not closing:
        raise SkillTextError("the front matter is not closed")
    try:
        data = read_front(header)
        return _FrontMatter.model_validate(data), body
    except (YamlError, ValidationError) as error:
        raise SkillTextError("the front matter is not a YAML mapping with name and description") from error


def _phrases(description: str) -> list[str]:
    line = description.replace("\n", " ").replace("\r", " ")
    folded = fold(line)
    start = folded.find(_FOR)
    # "DO NOT USE FOR:" contains the marker, too.
    while start >= 0 and "not " in folded[max(0, start - 11) : start]:
        start = folded.find(_FOR, start + 1)
    if start < 0:
        return []
    start += len(_FOR)
    end = min(_index(folded, it, start) for it in _ENDS)
    listed = trim(line[start:end]).rstrip(".")
    quoted = _QUOTED.findall(listed)
    items = quoted or [_NOTE.sub("", it) for it in listed.split(",")]
    return [it for it in (trim(item) for item in items) if it]


def _index(text: str, marker: str, start: int = 0) -> int:
    """Return the index of the marker, or the end of the text."""
    at = text.find(marker, start)
    return at if at >= 0 else len(text)
