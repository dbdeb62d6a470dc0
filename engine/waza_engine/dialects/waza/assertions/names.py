"""The names that waza's assertions can use: their values for a trial, and their types for completion.

The values are JSON as Go writes it (docs/reference/waza-graders.md, sections 3.1, 3.2, 5.1, 13.10 and 13.11). The
types and meanings are part of the schema (`x-names`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waza_engine.graders.base import GradingContext
from waza_engine.lib.go.text import without_surrogates
from waza_engine.model.trajectory import DIGEST_ARGUMENTS


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTEXT_NAMES = frozenset(["output", "outcome", "transcript", "tool_calls", "errors", "duration_ms"])
"""The names of values of the trial."""
PYTHON_NAMES = CONTEXT_NAMES | frozenset(
    ["len", "any", "all", "re", "str", "int", "float", "bool", "list", "dict", "True", "False"]
)
"""All names in Python assertions."""
JAVASCRIPT_NAMES = CONTEXT_NAMES | words(
    """
    Array Object String Number Boolean Math JSON RegExp parseInt parseFloat isNaN isFinite undefined NaN Infinity True
    False Date Map Set WeakMap WeakSet WeakRef Symbol BigInt Promise Proxy Reflect Error TypeError RangeError SyntaxError
    ReferenceError EvalError URIError AggregateError Function Intl ArrayBuffer DataView Int8Array Uint8Array
    Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array
    BigUint64Array Iterator escape unescape encodeURI encodeURIComponent decodeURI decodeURIComponent eval console
    globalThis SharedArrayBuffer Atomics WebAssembly FinalizationRegistry
    """
)
"""The trial's names and the engine's globals; no `require`, `process` or timers."""
_EVENT_MEMBERS = {
    "user.message": ("content",),
    "assistant.message": ("content",),
    "session.error": ("message",),
    "tool.execution_start": ("arguments", "tool_call_id", "tool_name"),
    "tool.execution_complete": ("success", "tool_call_id", "tool_result"),
    "tool.execution_partial_result": ("tool_call_id",),
}
_FIXED_POINT_LIMIT = 1e21


def assertion_names(context: GradingContext) -> dict[str, Any]:
    """Return the six names of the trial with their values."""
    transcript = [_event(it) for it in context.transcript]
    return {
        "output": _as_go_has_it(context.output),
        "outcome": _as_go_has_it(dict(context.outcome)),
        "transcript": transcript,
        "tool_calls": _tool_calls(transcript),
        "errors": [it for it in transcript if "error" in it["type"] or "error" in str(it.get("content", ""))],
        "duration_ms": context.duration_ms,
    }


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    kind = event.get("type")
    kind = kind if isinstance(kind, str) else ""
    members = [it for it in _EVENT_MEMBERS.get(kind, ()) if event.get(it) is not None]
    return {"type": kind, **{it: _as_go_has_it(event[it]) for it in members}}


def _tool_calls(transcript: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one call per start event that has a name and an id. A second start with an id replaces the first."""
    calls: dict[str, dict[str, Any]] = {}
    order: list[str] = []
    for event in transcript:
        call_id = event.get("tool_call_id")
        identity = call_id if isinstance(call_id, str) else ""
        match event["type"]:
            case "tool.execution_start" if identity and event.get("tool_name"):
                calls[identity] = {
                    "name": event["tool_name"],
                    "arguments": _known_arguments(event.get("arguments")),
                    "success": False,
                }
                order.append(identity)
            case "tool.execution_complete" if identity in calls:
                calls[identity]["success"] = bool(event.get("success"))
                if "tool_result" in event:
                    calls[identity]["result"] = event["tool_result"]
    return [calls[it] for it in order]


def _known_arguments(arguments: Any) -> dict[str, str]:
    """Return the five arguments of the digest. Names are case-insensitive, the exact one wins; only strings count."""
    recorded = arguments if isinstance(arguments, Mapping) else {}
    known = dict.fromkeys(DIGEST_ARGUMENTS, "")
    for name in sorted(recorded, key=lambda key: key in known):
        if name.lower() in known and isinstance(recorded[name], str):
            known[name.lower()] = recorded[name]
    return known


def _as_go_has_it(value: Any) -> Any:
    """Return `value` as Go's JSON has it: fractions are doubles, integers exact, keys sorted, lone surrogates gone."""
    match value:
        case str():
            return without_surrogates(value)
        case bool() | int() | None:
            return value
        case float():
            return _number(value)
        case Mapping():
            return {_as_go_has_it(str(it)): _as_go_has_it(value[it]) for it in sorted(value, key=str)}
        case Sequence():
            return [_as_go_has_it(it) for it in value]
        case _:
            return str(value)


def _number(double: float) -> int | float:
    """Return a double as Go writes it: without a fraction as digits, padded with zeros."""
    if not double.is_integer() or abs(double) >= _FIXED_POINT_LIMIT:
        return double
    mantissa, _, exponent = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction.ljust(int(exponent), "0")) if exponent else int(whole)


_TRIAL: dict[str, tuple[str, str, str]] = {
    "output": ("str", "string", "The agent's final output."),
    "outcome": ("dict", "object", "Always empty."),
    "transcript": (
        "list of dict",
        "array of objects",
        "The events of the session in order, each with its type.",
    ),
    "tool_calls": ("list of dict", "array of objects", "The tools that the agent called, in order."),
    "errors": ("list of dict", "array of objects", "The events that mention an error."),
    "duration_ms": ("int", "number", "The agent's time in milliseconds."),
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
    "len": ("function", "Number of items in a list, or of characters in a string."),
    "any": ("function", "Whether at least one value is true."),
    "all": ("function", "Whether all values are true."),
    "re": ("module", "Python's regular expressions: re.search('a|b', output)."),
    "str": ("type", "Converts a value to a string."),
    "int": ("type", "Converts a value to an integer."),
    "float": ("type", "Converts a value to a number."),
    "bool": ("type", "Converts a value to true or false."),
    "list": ("type", "Converts an iterable to a list."),
    "dict": ("type", "Creates a mapping."),
    "True": ("bool", "True."),
    "False": ("bool", "False."),
}
_JAVASCRIPT: dict[str, tuple[str, str]] = {
    "JSON": ("object", "JSON.parse(output) and JSON.stringify(value)."),
    "Math": ("object", "Math.max(...), Math.min(...) and the like."),
    "RegExp": ("type", "Creates a regular expression from a string."),
}


def assertion_name_meanings() -> Mapping[str, Mapping[str, Any]]:
    """Return the names by language, each with its type, description and the members of its items."""
    return {
        "python": {
            **{name: _description(name, 0) for name in _TRIAL if name in CONTEXT_NAMES},
            **{name: _plain(it) for name, it in _PYTHON.items() if name in PYTHON_NAMES},
        },
        "javascript": {
            **{name: {**_description(name, 1), "access": "dot"} for name in _TRIAL if name in CONTEXT_NAMES},
            **{name: _plain(it) for name, it in _JAVASCRIPT.items()},
        },
    }


def _description(name: str, language: int) -> dict[str, Any]:
    *kinds, meaning = _TRIAL[name]
    members = {it: types[language] for it, types in _MEMBERS.get(name, {}).items()}
    return {"type": kinds[language], "description": meaning, **({"members": members} if members else {})}


def _plain(builtin: tuple[str, str]) -> dict[str, Any]:
    return {"type": builtin[0], "description": builtin[1], "builtin": True}
