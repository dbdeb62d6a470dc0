"""The names that an assertion sees, with type and meaning, for the schema (`x-names`): what completion offers."""

from collections.abc import Mapping
from typing import Any

from waza_engine.assertions.names import CONTEXT_NAMES, PYTHON_NAMES

_TRIAL: dict[str, tuple[str, str, str]] = {
    "output": ("str", "string", "The agent's final output."),
    "outcome": ("dict", "object", "Always empty."),
    "transcript": (
        "list of dict",
        "array of objects",
        "The events of the session, in order, each with its type.",
    ),
    "tool_calls": ("list of dict", "array of objects", "The tools that the agent called, in order."),
    "errors": ("list of dict", "array of objects", "The events that speak of an error."),
    "duration_ms": ("int", "number", "How long the agent took, in milliseconds."),
}
"""Type in Python, type in JavaScript, meaning."""
_MEMBERS: dict[str, dict[str, tuple[str, str]]] = {
    "tool_calls": {
        "name": ("str", "string"),
        "arguments": ("dict of str", "object of strings"),
        "success": ("bool", "boolean"),
        "result": ("any", "any"),
    },
    "transcript": {
        "type": ("str", "string"),
        "content": ("str", "string"),
        "message": ("str", "string"),
        "tool_name": ("str", "string"),
        "tool_call_id": ("str", "string"),
        "arguments": ("any", "any"),
        "tool_result": ("any", "any"),
        "success": ("bool", "boolean"),
    },
}
_PYTHON: dict[str, tuple[str, str]] = {
    "len": ("function", "How many items a list has, or characters a text."),
    "any": ("function", "Whether one of the values is true."),
    "all": ("function", "Whether all of the values are true."),
    "re": ("module", "Regular expressions of Python: re.search('a|b', output)."),
    "str": ("type", "A value as text."),
    "int": ("type", "A value as whole number."),
    "float": ("type", "A value as number."),
    "bool": ("type", "A value as truth value."),
    "list": ("type", "The items of something as list."),
    "dict": ("type", "A mapping."),
    "True": ("bool", "True."),
    "False": ("bool", "False."),
}
_JAVASCRIPT: dict[str, tuple[str, str]] = {
    "JSON": ("object", "JSON.parse(output) and JSON.stringify(value)."),
    "Math": ("object", "Math.max(...), Math.min(...) and the like."),
    "RegExp": ("type", "A regular expression made from a text."),
}


def assertion_name_meanings() -> Mapping[str, Mapping[str, Any]]:
    """Per language: name -> type, description, and the members that its items have."""
    return {
        "python": {
            **{name: _about(name, 0) for name in _TRIAL if name in CONTEXT_NAMES},
            **{name: _plain(it) for name, it in _PYTHON.items() if name in PYTHON_NAMES},
        },
        "javascript": {
            **{name: {**_about(name, 1), "access": "dot"} for name in _TRIAL if name in CONTEXT_NAMES},
            **{name: _plain(it) for name, it in _JAVASCRIPT.items()},
        },
    }


def _about(name: str, language: int) -> dict[str, Any]:
    *kinds, meaning = _TRIAL[name]
    members = {it: types[language] for it, types in _MEMBERS.get(name, {}).items()}
    return {"type": kinds[language], "description": meaning, **({"members": members} if members else {})}


def _plain(about: tuple[str, str]) -> dict[str, Any]:
    return {"type": about[0], "description": about[1], "builtin": True}
