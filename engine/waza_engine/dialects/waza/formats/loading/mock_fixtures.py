"""Fixture files of mocked MCP servers: JSON files, each with one tool or several.

See docs/reference/waza-formats.md, section 4.6; docs/reference/waza-newest.md, section 5. Without pydantic, because
checks read fixtures as well.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.checks.sequences import SEQUENCE, SequenceProblem, tool_problems


class FixtureError(Exception):
    """The text of a fixture file cannot be used."""


class _Repeating(dict[str, Any]):
    """A JSON object in which a key occurs twice."""

    repeated: str


def fixture_tools(text: str, stem: str) -> Mapping[str, Any]:
    """Return the tools of a fixture file by name; `stem` names the tool of a file that holds only one.

    Raises:
        FixtureError: the text is not valid JSON.

    """
    try:
        data = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise FixtureError(f"not valid JSON: {error}") from error
    tools = data.get("tools") if isinstance(data, dict) else None
    return tools if isinstance(tools, dict) else {stem: data}


def fixture_problems(tool: Any) -> Iterator[SequenceProblem]:
    """Yield what waza refuses in the sequences of a tool from a fixture file. Pointers are relative to the tool."""
    responses = tool.get("responses") if isinstance(tool, Mapping) else None
    for index, response in enumerate(responses if isinstance(responses, list) else ()):
        if not isinstance(response, Mapping):
            continue
        place = ("responses", index)
        if SEQUENCE in response and (key := _repeated_key(response)):
            yield SequenceProblem(place, f"The key '{key}' occurs twice in a response with a '{SEQUENCE}'")
        for it in tool_problems(response):
            yield it._replace(pointer=(*place, *it.pointer))


def has_sequence(tool: Any) -> bool:
    """Whether any response of a tool has a sequence."""
    responses = tool.get("responses") if isinstance(tool, Mapping) else None
    return isinstance(responses, list) and any(isinstance(it, Mapping) and SEQUENCE in it for it in responses)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [key for key, _ in pairs]
    repeating = _Repeating(found)
    repeating.repeated = next(it for it in names if names.count(it) > 1)
    return repeating


def _repeated_key(value: Any) -> str:
    """Return a key that occurs twice in an object of a JSON value; empty if there is none."""
    if isinstance(value, _Repeating):
        return value.repeated
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((key for it in parts if (key := _repeated_key(it))), "")
