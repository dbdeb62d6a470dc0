"""Offers inside a text that is code: they replace the word at the cursor, not the whole value."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from waza_engine.analysis.schema.navigate import Schema, schema_at
from waza_lsp.schema.code_words import words
from waza_lsp.schema.offers import Offer
from waza_lsp.schema.pattern_words import PATTERN_WORDS
from waza_lsp.syntax.situation import At, Situation
from waza_lsp.syntax.text import Place, Span

_REST_OF_NAME = re.compile(r"[\w$]*")
_NOT_PLAIN_IN_BRACKETS = frozenset("[]{},")


class Inside(NamedTuple):
    """The situation of the word at the cursor, and what may stand there."""

    here: Situation
    offers: list[Offer]


def code_offers(here: Situation, root: Schema, line: str) -> Inside | None:
    """What may be written in the code around a cursor on a line; None where there is no code."""
    schema = schema_at(root, here.pointer, here.data) if here.at is At.VALUE else None
    language = _language(schema, here) if schema is not None else ""
    if schema is None or not language:
        return None
    if _is_in_escape(here) and not (language in PATTERN_WORDS and _is_last(here, line)):
        return None
    read, places = _read(here.typed, here.quote)
    found = words(schema, language, read)
    if found is None:
        return None
    (number, first), (_, last) = here.span
    cursor = first + len(here.typed)
    start = first + places[found.start]
    rest = _REST_OF_NAME.match(line, cursor, last) if language not in PATTERN_WORDS else None
    span = Span(Place(number, start), Place(number, rest.end() if rest else cursor))
    is_whole = span == here.span
    if language in PATTERN_WORDS and start == cursor and not is_whole:
        return None
    word = replace(
        here,
        span=span,
        typed=line[start:cursor],
        lead=here.lead if start == first else "",
        close=here.close if span.end.column == last else "",
    )
    fitting = [
        replace(it, is_literal=not is_whole)
        for it in found.suggestions
        if here.quote or is_whole or not (here.flow and _NOT_PLAIN_IN_BRACKETS & set(it.label))
    ]
    return Inside(word, [Offer(At.VALUE, it, here.pointer) for it in fitting])


def _language(schema: Schema, here: Situation) -> str:
    """What the text is written in: a neighbour of its list may say so, else the schema does."""
    chosen = schema.get("x-language-from")
    around: Any = here.data
    for part in here.pointer[:-2] if chosen else ():
        around = around.get(part) if isinstance(around, Mapping) else _item(around, part)
    said = around.get(chosen) if chosen and isinstance(around, Mapping) else None
    return str(said or schema.get("x-language", ""))


def _is_in_escape(here: Situation) -> bool:
    """Whether the cursor parts what belongs together: `''` in single quotes, a backslash and what it escapes."""
    mark = {"'": "'", '"': "\\"}.get(here.quote, "")
    return bool(mark) and (len(here.typed) - len(here.typed.rstrip(mark))) % 2 == 1


def _is_last(here: Situation, line: str) -> bool:
    """Whether a backslash in double quotes has nothing behind it that it could escape."""
    cursor = here.span.start.column + len(here.typed)
    return here.quote == '"' and line[cursor : cursor + 1] in {"", '"'}


def _item(value: Any, part: str | int) -> Any:
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def _read(source: str, quote: str) -> tuple[str, list[int]]:
    """What a beginning of a scalar stands for, and where each of its characters (and its end) comes from."""
    text, places, at = "", [], 0
    while at < len(source):
        pair = source[at : at + 2]
        is_escape = (quote == "'" and pair == "''") or (quote == '"' and len(pair) == 2 and pair[0] == "\\")
        text += source[at] if not is_escape else pair[1] if pair[1] in "'\"\\/" else " "
        places.append(at)
        at += 2 if is_escape else 1
    return text, [*places, at]
