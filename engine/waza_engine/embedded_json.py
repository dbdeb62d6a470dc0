"""Finding the one JSON value in a text (`extract_json`, docs/reference/waza-graders.md, section 5.5)."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from waza_engine.json_text import JsonError, read_json, read_json_at, whole_characters
from waza_engine.text import trim

_FENCE = "```"
_PART = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]|[^][{},:"\s]+', re.DOTALL)


def extract_json(text: str) -> Any:
    """The whole text if it is JSON, else the one fenced block that is, else the one value anywhere in the text.

    Raises:
        JsonError: there is no such value, or more than one.

    """
    try:
        return read_json(text)
    except JsonError:
        values = list(_in_fences(text)) or list(_anywhere(text))
    if len(values) != 1:
        raise JsonError(f"{len(values) or 'no'} JSON values in the output, one is wanted")
    return values[0]


def _in_fences(text: str) -> Iterator[Any]:
    at = text.find(_FENCE)
    while at >= 0:
        line_end = text.find("\n", at)
        closing = text.find(_FENCE, line_end) if line_end >= 0 else -1
        if closing < 0:
            return
        if trim(text[at + len(_FENCE) : line_end]).lower() in {"", "json"}:
            with suppress(JsonError):
                yield read_json(text[line_end + 1 : closing])
        at = text.find(_FENCE, closing + len(_FENCE))


def _anywhere(text: str) -> Iterator[Any]:
    text = whole_characters(text)
    at = 0
    no_starts: set[int] = set()
    while at < len(text):
        end = at + 1
        if text[at] in "{[" and at not in no_starts:
            try:
                value, end = read_json_at(text, at)
                yield value
            except JsonError as error:
                open_brackets, end = _brackets(text, at, error.stop)
                # A value that begins at one of them stops at the same place. Without this, hostile texts take hours.
                no_starts.update(open_brackets)
        at = end


def _brackets(text: str, start: int, stop: int | str) -> tuple[list[int], int]:
    """Return the brackets from `start` on that are open at `stop`, and where the search for values goes on.

    That is behind the bracket that closes the one at `start`, if there is one.
    """
    open_brackets: list[int] = []
    for part in _PART.finditer(text, start):
        if part.start() >= stop if isinstance(stop, int) else stop and part[0].startswith(stop):
            break
        if part[0] in "[{":
            open_brackets.append(part.start())
        elif part[0] in "]}":
            open_brackets.pop()
            if not open_brackets:
                return [], part.end()
    return open_brackets, start + 1
