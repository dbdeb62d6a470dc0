"""What a waza assertion can see of a trial, as waza hands it over: JSON that went through Go.

docs/reference/waza-graders.md, sections 3.1, 3.2, 5.1, 13.10 and 13.11.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waza_engine.graders.base import GradingContext
from waza_engine.text import without_surrogates
from waza_engine.trajectory import DIGEST_ARGUMENTS


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
