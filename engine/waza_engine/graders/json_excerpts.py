"""Excerpts from an output that should be JSON: where reading stopped, or the value that does not fit a schema."""

import json
import re
from typing import Any

from waza_engine.graders.excerpts import beginning_of, excerpt_at, quote
from waza_engine.lib.go.json import JsonError, read_json
from waza_engine.model.results.evidence import FoundText

_FENCED = re.compile(r"^```(?:json)?[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_POINTER = re.compile(r"at '(/[^']*)':")
_MOST_SEARCHED = 200_000


def json_problem(text: str, stop: int | str) -> str:
    """Return the text around the place where reading JSON stopped.

    `stop` is that of the `JsonError`. Where it is unknown, the text holds no JSON: the excerpt shows where its first
    JSON block, or the first object or list in it, is broken.
    """
    if not text.strip():
        return beginning_of(text)
    if stop == "":
        return _problem_inside(text[:_MOST_SEARCHED])
    at = text.find(stop) if isinstance(stop, str) else stop
    if not text[:at].strip():
        return beginning_of(text)
    return _at(text, at)


def _at(text: str, at: int) -> FoundText:
    """Return the excerpt at a position; at the end of the text, that of the last character."""
    last = len(text.rstrip()) - 1
    if at <= last:
        return excerpt_at(text, at, at + 1)
    found = excerpt_at(text, last, last + 1)
    return FoundText(f"the text ends: {found}", found.excerpt, line=found.line)


def _problem_inside(text: str) -> str:
    block = _FENCED.search(text)
    starts = [it for it in (text.find("{"), text.find("[")) if it >= 0]
    start, part = (block.start(1), block.group(1)) if block else (min(starts, default=-1), "")
    if start < 0:
        return beginning_of(text)
    try:
        read_json(part or text[start:].rstrip())
    except JsonError as error:
        if isinstance(error.stop, int):
            found = _at(text, start + error.stop)
            reason = str(error).partition(": line")[0]
            return FoundText(f"{found} ({reason})", found.excerpt, line=found.line)
    return excerpt_at(text, start, start + 1)


def json_value(text: str, value: Any, failure: str) -> str:
    """Return the part of a JSON value that a schema's `failure` is about, and where it is in the text."""
    place = _POINTER.match(failure)
    keys = place.group(1).strip("/").split("/") if place else []
    for key in filter(None, keys):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (LookupError, ValueError, TypeError):
            return ""
    shown = quote(json.dumps(value, ensure_ascii=False)).strip("'")
    name = next((it for it in reversed(keys) if it and not it.isdigit()), "")
    at = text.find(json.dumps(name, ensure_ascii=False)) if name else -1
    if at < 0:
        return FoundText(f"the value is {shown}", actual=shown)
    around = excerpt_at(text, at, at + 1)
    return FoundText(f"the value is {shown}, line {around.line}", around.excerpt, shown, around.line)
