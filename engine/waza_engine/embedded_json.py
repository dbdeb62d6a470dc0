"""Finding the one JSON value in a text (`extract_json`, docs/reference/waza-graders.md, section 5.5)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from waza_engine.json_text import JsonError, read_json, read_json_at, read_nested_at
from waza_engine.nested_json import NestedJsonError
from waza_engine.text import trim

_FENCE = "```"


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
    at = 0
    no_starts: set[int] = set()
    while at < len(text):
        end = at + 1
        if text[at] in "{[" and at not in no_starts:
            try:
                value, end = read_json_at(text, at)
                yield value
            except (ValueError, RecursionError):
                try:
                    value, end = read_nested_at(text, at)
                    yield value
                except NestedJsonError as error:
                    no_starts.update(error.no_starts)
        at = end
