"""What waza refuses in the recovery sequences of mocks: finite lists of answers, one for each call.

See docs/reference/waza-newest.md, section 5. A sequence is checked as it is written, because waza refuses values here
that it accepts elsewhere: `null`, `1.0` for a whole number, an empty output beside the list.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import AppendItem, Change, Fix, MoveKey, RemoveKey, SetValue, removal

SEQUENCE = "sequence"
SCENARIO_VERSION = "2.0"
SEQUENCE_NEEDS_SCENARIO = (
    f"A '{SEQUENCE}' needs an eval with 'scenario' and 'schemaVersion: \"{SCENARIO_VERSION}\"'"
)
_DELAY = "delay_ms"
LONGEST_DELAY_MS = (2**63 - 1) // 1_000_000
"""Go holds delays as nanoseconds in 64 bits."""
_HIGHEST_EXIT_CODE = 255


class SequenceProblem(NamedTuple):
    """A part of a mocked response that waza refuses. All pointers are relative to the response."""

    pointer: Pointer
    message: str
    on: Literal["key", "value"] = "value"
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class _Keys:
    matchers: tuple[str, ...]
    outputs: tuple[str, ...]


_COMMAND = _Keys(
    ("args", "args_regex", "environment", "workdir"), ("stdout", "stderr", "exit_code", "fixture")
)
_TOOL = _Keys(("match", "match_schema", "match_regex"), ("return", "error"))


def command_problems(response: Mapping[str, Any]) -> Iterator[SequenceProblem]:
    """Yield what waza refuses in `sequence` and `delay_ms` of a mocked command's response."""
    yield from _response(response, _COMMAND)
    for place, step in _steps(response):
        yield from _command_step(place, step)


def tool_problems(response: Mapping[str, Any]) -> Iterator[SequenceProblem]:
    """Yield what waza refuses in `sequence` and `delay_ms` of a mocked MCP tool's response."""
    yield from _response(response, _TOOL)
    for place, step in _steps(response):
        yield from _tool_step(place, step)


def _response(response: Mapping[str, Any], keys: _Keys) -> Iterator[SequenceProblem]:
    if _DELAY in response:
        message = f"'{_DELAY}' works only in a step of a '{SEQUENCE}'"
        yield SequenceProblem((_DELAY,), message, "key", (removal((_DELAY,)),))
    if SEQUENCE not in response:
        return
    yield from _own_outputs(response, keys)
    steps = response[SEQUENCE]
    if not isinstance(steps, list) or all(it is None for it in steps):
        on: Literal["key", "value"] = "key" if steps is None else "value"
        yield SequenceProblem((SEQUENCE,), f"'{SEQUENCE}' needs a list with at least one step", on)
        return
    for index, step in enumerate(steps):
        yield from _any_step((SEQUENCE, index), step, response, keys)


def _own_outputs(response: Mapping[str, Any], keys: _Keys) -> Iterator[SequenceProblem]:
    own = [it for it in keys.outputs if it in response]
    if not own:
        return
    names = _listed(own, "and")
    removed: tuple[Change, ...] = tuple(RemoveKey((it,)) for it in own)
    fixes = [Fix(f"Remove {names}", removed)]
    # A step refuses null, so an output without a value has nothing to move.
    step = {it: response[it] for it in own if response[it] not in (None, "")}
    if step and isinstance(response[SEQUENCE], list):
        move = (AppendItem((SEQUENCE,), step), *removed)
        fixes.insert(0, Fix(f"Make {names} the last step", move, preferred=True))
    message = f"{names} cannot be used together with '{SEQUENCE}': each step has its own outputs"
    yield SequenceProblem((own[0],), message, "key", tuple(fixes))


def _any_step(
    place: Pointer, step: Any, response: Mapping[str, Any], keys: _Keys
) -> Iterator[SequenceProblem]:
    outputs = _listed(keys.outputs, "or")
    if not isinstance(step, Mapping):
        yield SequenceProblem(place, f"A step must be a mapping with {outputs}")
        return
    for key in keys.matchers:
        if key in step:
            at = (*place, key)
            fix = (
                removal(at)
                if key in response
                else Fix(f"Move '{key}' to the response", (MoveKey(at, (key,)),))
            )
            message = f"'{key}' must be in the response: a step has no conditions of its own"
            yield SequenceProblem(at, message, "key", (fix,))
    if SEQUENCE in step:
        yield SequenceProblem((*place, SEQUENCE), "A step cannot have a 'sequence' of its own", "key")
    # Any other key may be a misspelt output.
    if step.keys() <= {*keys.matchers, SEQUENCE, _DELAY}:
        yield SequenceProblem(place, f"This step has no output. Add {outputs}")
    if _DELAY in step:
        yield from _whole_number((*place, _DELAY), step[_DELAY], LONGEST_DELAY_MS)


def _command_step(place: Pointer, step: Mapping[str, Any]) -> Iterator[SequenceProblem]:
    if "stdout" in step and "fixture" in step:
        yield _either(place, "stdout", "fixture")
    for key in ("stderr", "fixture"):
        if key in step and step[key] is None:
            at = (*place, key)
            yield SequenceProblem(at, f"'{key}' needs a value in a step", "key", (removal(at),))
    if "exit_code" in step:
        yield from _whole_number((*place, "exit_code"), step["exit_code"], _HIGHEST_EXIT_CODE)


def _tool_step(place: Pointer, step: Mapping[str, Any]) -> Iterator[SequenceProblem]:
    if "return" in step and "error" in step:
        yield _either(place, "error", "return")
    elif "error" in step and (not isinstance(step["error"], str) or not step["error"].strip()):
        yield SequenceProblem((*place, "error"), "'error' must be a non-empty string")


def _either(place: Pointer, one: str, other: str) -> SequenceProblem:
    fixes = (removal((*place, one)), removal((*place, other)))
    message = f"A step has either '{one}' or '{other}', not both"
    return SequenceProblem((*place, one), message, "key", fixes)


def _whole_number(place: Pointer, value: Any, most: int) -> Iterator[SequenceProblem]:
    key = place[-1]
    if value is None:
        yield SequenceProblem(place, f"'{key}' needs a whole number", "key", (removal(place),))
    elif isinstance(value, bool) or not isinstance(value, int):
        whole = int(value) if isinstance(value, float) and value.is_integer() else None
        fixes = (
            () if whole is None else (Fix(f"Change to {whole}", (SetValue(place, whole),), preferred=True),)
        )
        yield SequenceProblem(place, f"'{key}' must be a whole number without a fraction", "value", fixes)
    elif not 0 <= value <= most:
        yield SequenceProblem(place, f"'{key}' must be from 0 to {most}, not {value}")


def _steps(response: Mapping[str, Any]) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    steps = response.get(SEQUENCE)
    for index, step in enumerate(steps if isinstance(steps, list) else ()):
        if isinstance(step, Mapping):
            yield (SEQUENCE, index), step


def _listed(names: Iterable[str], word: str) -> str:
    *first, last = (f"'{it}'" for it in names)
    return f"{', '.join(first)} {word} {last}" if first else last
