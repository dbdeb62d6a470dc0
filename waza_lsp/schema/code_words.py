"""What can be written at a cursor inside code: the names of an assertion, the pieces of a pattern.

The schema says in which language a text is written (`x-language`) and which names there are (`x-names`): per
language, name -> {type, description, members, builtin}.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import Schema
from waza_lsp.schema.pattern_words import PATTERN_WORDS, begun_at
from waza_lsp.schema.suggest import Rank, Suggestion, What

_NAME = re.compile(r"[A-Za-z_$][\w$]*$")
_MEMBER = re.compile(r"(?P<of>[A-Za-z_]\w*)(?:\[[^\[\]]*\])?(?:\[(?P<quote>['\"])|(?P<dot>\.))(?P<word>\w*)$")
_TEXTS = {"'": re.compile(r"(?:[^'\\]|\\.)*'"), '"': re.compile(r'(?:[^"\\]|\\.)*"')}


class Words(NamedTuple):
    """What may stand at the end of the code typed so far, in place of what starts at `start` of it."""

    start: int
    suggestions: list[Suggestion]


def words(schema: Schema, language: str, typed: str) -> Words | None:
    """What fits behind `typed`, the code as its language reads it; None where nothing is known."""
    if language in PATTERN_WORDS:
        start = begun_at(language, typed)
        begun = typed[start:]
        if not begun and (typed or "x-reference" in schema):
            return None  # Behind any letter, or in place of a name, they would only be in the way.
        fitting = [it for it in PATTERN_WORDS[language] if it.text.startswith(begun)]
        return Words(start, [_word(it.text, "", it.meaning) for it in fitting])
    names: Mapping[str, Mapping[str, object]] = schema.get("x-names", {}).get(language, {})
    if not names:
        return None
    member = _MEMBER.search(typed)
    if member is not None:
        return Words(member.start("word"), list(_members(names, member)))
    if _is_in_text(typed):
        return None
    begun_name = _NAME.search(typed)
    start = begun_name.start() if begun_name else len(typed)
    if typed[:start].endswith(".") or typed[start - 1 : start].isdigit():
        return None
    begun = typed[start:]
    own_first = sorted(names.items(), key=lambda it: bool(it[1].get("builtin")))
    return Words(start, [_named(it) for it in own_first if it[0].startswith(begun)])


def _named(item: tuple[str, Mapping[str, object]]) -> Suggestion:
    name, about = item
    return _word(name, str(about.get("type", "")), str(about.get("description", "")))


def _members(names: Mapping[str, Mapping[str, object]], found: re.Match[str]) -> Iterator[Suggestion]:
    about = names.get(found["of"], {})
    members = about.get("members")
    wanted = "dot" if about.get("access") == "dot" else "quote"
    if isinstance(members, Mapping) and found[wanted] is not None:
        for name, kind in members.items():
            if name.startswith(found["word"]):
                yield _word(name, str(kind), f"Part of {found['of']}.")


def _is_in_text(code: str) -> bool:
    """Whether the end of the code is inside a text literal."""
    at = 0
    while at < len(code):
        if code[at] in _TEXTS:
            found = _TEXTS[code[at]].match(code, at + 1)
            if found is None:
                return True
            at = found.end()
        else:
            at += 1
    return False


def _word(text: str, kind: str, meaning: str) -> Suggestion:
    detail = " · ".join(it for it in (kind, meaning) if it)
    return Suggestion(
        What.WORD, text, detail=detail, note=kind, text=meaning, rank=Rank.OPTIONAL, is_literal=True
    )
