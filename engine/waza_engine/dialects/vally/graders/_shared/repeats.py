"""Repeated tool calls, for `max-repeat` and `loop-outcome` (docs/reference/vally-newest.md, sections 3.1 and 3.2)."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from waza_engine.dialects.vally.fields import Integer
from waza_engine.dialects.vally.graders._shared.tool_filter import ToolFilter
from waza_engine.dialects.vally.trajectory.calls import Call, known_calls
from waza_engine.dialects.vally.trajectory.metrics import has_events
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.lib.js_regex import TooSlowError
from waza_engine.model.schema_marks import marks

Match = Literal["observation", "name", "name-args"]
MATCHES = {
    "observation": "The same tool with the same result.",
    "name": "The same tool.",
    "name-args": "The same tool with equal arguments.",
}


class Repeats(NamedTuple):
    """The block of calls with the most repetitions in a row: its tools, and how often it occurs."""

    tools: tuple[str, ...]
    times: int

    @property
    def words(self) -> str:
        """The block and its count: `bash, 5 times in a row`."""
        return f"{' and '.join(self.tools)}, {self.times} times in a row"


class UnknownResultsError(Exception):
    """The recording has no results to compare."""


class RepeatGrader(ToolFilter):
    """A grader that counts how often the agent repeats an action in a row."""

    match: Match

    max_cycle_period: Annotated[Integer, Field(ge=1, le=10)] = Field(
        default=1,
        description="Longest block of calls that counts as one repeated action: 2 also finds A, B, A, B.",
        examples=[2],
    )

    def grade(self, context: GradingContext) -> GraderResult:
        if not has_events(context):
            return GraderResult.undecided("Cannot tell: the recording has no tool calls")
        try:
            calls = [it for it in known_calls(context) if self.counts(it)]
            longest = most_repeats(calls, self.match, self.max_cycle_period)
        except (TooSlowError, UnknownResultsError) as error:
            return GraderResult.undecided(f"Cannot tell: {error}")
        return self.verdict(longest)

    def verdict(self, longest: Repeats) -> GraderResult:
        """Return the verdict on the most repeated block."""
        raise NotImplementedError


def most_repeats(calls: Sequence[Call], match: Match, longest_period: int) -> Repeats:
    """Return the block of at most `longest_period` calls with the most repetitions in a row.

    Raises:
        UnknownResultsError: results are compared, and no call has one.

    """
    if match == "observation" and len(calls) > 1 and not any(it.answered for it in calls):
        raise UnknownResultsError("the recording has no results of tools")
    keys = [_key(it, match, number) for number, it in enumerate(calls)]
    return max(_repeats(calls, keys, longest_period), key=lambda it: it.times, default=Repeats((), 0))


def _repeats(calls: Sequence[Call], keys: Sequence[str], longest_period: int) -> Iterator[Repeats]:
    """Yield each repeated block. Of blocks with the same count, shorter ones come first."""
    for period in range(1, longest_period + 1):
        equal = 0
        for index in range(len(keys)):
            equal = equal + 1 if index >= period and keys[index] == keys[index - period] else 0
            if index + 1 >= period:
                first = index + 1 - period
                tools = tuple(it.name for it in calls[first : index + 1])
                yield Repeats(tools, equal // period + 1)


def _key(call: Call, match: Match, number: int) -> str:
    """Return a text that is equal for calls that are the same action."""
    match match:
        case "name":
            return _text(call.name)
        case "name-args":
            return _text([call.name, call.arguments_as_recorded])
        case _:
            # Our reading: a call without a result equals no other call.
            return _text([call.name, call.result] if call.answered else [call.name, "", number])


def _text(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True, default=str)


def _plain(value: Any) -> Any:
    """Return the value with whole numbers as integers: in JavaScript, 1.0 and 1 are the same number."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_plain(it) for it in value]
        case dict():
            return {key: _plain(it) for key, it in value.items()}
        case _:
            return value


def match_field(default: Match) -> Any:
    """Return the option `match` with the default of the type."""
    return Field(
        default=default,
        description="When two calls are the same action.",
        examples=["name-args" if default == "observation" else "observation"],
        json_schema_extra=marks(values=MATCHES),
    )
