"""What a waza assertion can see of a trial, as waza hands it over: JSON that went through Go.

docs/reference/waza-graders.md, sections 3.1, 3.2, 5.1, 13.10 and 13.11.

The names that an assertion sees, with type and meaning, for the schema (`x-names`): what completion offers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waza_engine.graders.base import GradingContext
from waza_engine.lib.go.text import without_surrogates
from waza_engine.model.trajectory import DIGEST_ARGUMENTS


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONTEXT_NAMES = frozenset(["output", "outcome", "transcript", "tool_calls", "errors", "duration_ms"])
"""The names that stand for something of the trial."""
PYTHON_NAMES = CONTEXT_NAMES | frozenset(
    ["len", "any", "all", "re", "str", "int", "float", "bool", "list", "dict", "True", "False"]
)
"""All names there are in a Python assertion."""
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
"""What the context holds and the engine's own globals; no `require`, `process` or timers."""
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
    """The six context names with their values."""
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
    """One call per start that has a name and an id. They are kept by id: a start replaces an earlier one."""
    calls: dict[str, dict[str, Any]] = {}
    order: list[str] = []
    for event in transcript:
        given = event.get("tool_call_id")
        identity = given if isinstance(given, str) else ""
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
    """The five arguments of the digest. Names match without case, the exact one wins; only texts are taken."""
    given = arguments if isinstance(arguments, Mapping) else {}
    known = dict.fromkeys(DIGEST_ARGUMENTS, "")
    for name in sorted(given, key=lambda it: it in known):
        if name.lower() in known and isinstance(given[name], str):
            known[name.lower()] = given[name]
    return known


def _as_go_has_it(value: Any) -> Any:
    """`value` after a trip through Go's JSON: numbers are doubles, keys sorted, lone surrogates gone."""
    match value:
        case str():
            return without_surrogates(value)
        case bool() | None:
            return value
        case int() | float():
            return _number(value)
        case Mapping():
            return {_as_go_has_it(str(it)): _as_go_has_it(value[it]) for it in sorted(value, key=str)}
        case Sequence():
            return [_as_go_has_it(it) for it in value]
        case _:
            return str(value)


def _number(value: float) -> int | float:
    """Go keeps doubles, and writes one without fraction as digits, zeros where it has no more precision."""
    try:
        double = float(value)
    except OverflowError:
        return value
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
