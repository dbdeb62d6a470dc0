"""Entries of `tool-calls` and the calls they match (docs/reference/vally.md, section 7.5)."""

from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, Tag
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from waza_engine.dialects.vally.fields import Flag, Integer, Text, TextMap
from waza_engine.dialects.vally.graders._shared.patterns import (
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.js_text import as_text
from waza_engine.dialects.vally.trajectory.calls import Call
from waza_engine.lib.js_regex import js_matches
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Severity
from waza_engine.model.schema_marks import FileModel, foreign_keys
from waza_engine.rules.contradictory_checks import CONTRADICTORY_CHECKS


def form_of(entry: Any) -> str:
    """Return which of its two forms an entry has: "entry" or "name"."""
    return "entry" if isinstance(entry, dict | SequenceTool) else "name"


class AnyForm:
    """Marks a choice between two forms as `anyOf`, for which other tools report better errors than for `oneOf`."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        return {"anyOf": schema["oneOf"]}


ToolName = Annotated[Text, Field(min_length=1), Tag("name")]


class SequenceTool(FileModel):
    """A tool call. One call must match all patterns. A string is short for `name`."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "tool": "name",
                "tool_name": "name",
                "command_pattern": "command",
                "path_pattern": "path",
                "arguments": "args",
            }
        )
    )

    name: Text = Field(
        min_length=1,
        description="JavaScript pattern to find anywhere in the tool's name.",
        examples=["^(edit|create)$"],
        json_schema_extra=pattern_marks(),
    )
    command: IfGiven[Text] = Field(
        default=None,
        description="Pattern to find in the argument `command`.",
        examples=["\\bgit push\\b"],
        json_schema_extra=pattern_marks(),
    )
    path: IfGiven[Text] = Field(
        default=None,
        description="Pattern to find in the argument `path`.",
        examples=["\\.env$"],
        json_schema_extra=pattern_marks(),
    )
    args: TextMap = Field(
        default={},
        description="Patterns to find in arguments, by name. Values that are not strings are compared as JSON.",
        examples=[{"url": "^https://"}],
        json_schema_extra={"additionalProperties": {"type": "string", **pattern_marks()}},
    )

    read_only: IfGiven[Flag] = Field(
        default=None,
        description=(
            "Whether only tools that read match. vally does not document which tools these are, so the entry cannot be "
            "graded from a recording."
        ),
        examples=[True],
    )
    write_only: IfGiven[Flag] = Field(
        default=None,
        description=(
            "Whether only tools that write match. vally does not document which tools these are, so the entry cannot be "
            "graded from a recording."
        ),
        examples=[True],
    )
    pattern: IfGiven[Text] = Field(
        default=None,
        description="vally accepts a pattern but does not document its meaning. The entry cannot be graded from a recording.",
        examples=["npm (test|t)"],
    )

    @property
    def is_gradable(self) -> bool:
        """Whether we know all conditions; a call that meets the known ones may still not match."""
        return not (self.read_only or self.write_only or self.pattern is not None)

    def patterns(self) -> Iterator[tuple[Pointer, str]]:
        """Yield all patterns with their pointers."""
        for option in ("name", "command", "path", "result"):
            if pattern := getattr(self, option, None):
                yield (option,), pattern
        for name, pattern in self.args.items():
            yield ("args", name), pattern

    def matches(self, call: Call, last: Call | None) -> bool:
        """Whether the call meets the conditions that we know; `last` is the last call of the run.

        Raises:
            TooSlowError: a pattern took too long.

        """
        named = [("command", self.command), ("path", self.path), *self.args.items()]
        wanted = [(name, it) for name, it in named if it is not None]
        return bool(js_matches(self.name, call.name)) and all(
            name in call.arguments and bool(js_matches(it, as_text(call.arguments[name])))
            for name, it in wanted
        )

    def contradictions(self) -> Iterator[Finding]:
        """Yield findings on conditions that no call can meet."""
        if self.read_only and self.write_only:
            message = "No tool is both 'read_only' and 'write_only'"
            yield CONTRADICTORY_CHECKS.at(("write_only",), message, severity=Severity.WARNING)

    @property
    def summary(self) -> str:
        """The entry in one line."""
        options = self.model_dump(exclude_defaults=True)
        return (
            self.name
            if set(options) == {"name"}
            else ", ".join(f"{key}: {as_text(it)}" for key, it in options.items())
        )


class DisallowedTool(SequenceTool):
    """A tool call that must not happen. A string is short for `name`."""

    result: IfGiven[Text] = Field(
        default=None,
        description="Pattern to find in the result. A result that is not a string is compared as JSON.",
        examples=["(?i)permission denied"],
        json_schema_extra=pattern_marks(),
    )

    def matches(self, call: Call, last: Call | None) -> bool:
        if not super().matches(call, last):
            return False
        return self.result is None or (call.answered and bool(js_matches(self.result, as_text(call.result))))


class RequiredTool(DisallowedTool):
    """A tool call that must happen. A string is short for `name`."""

    min_count: Integer = Field(default=1, ge=1, description="Minimum number of matching calls.", examples=[2])
    final: IfGiven[Flag] = Field(
        default=None, description="Whether the call must be the last one of the run.", examples=[True]
    )
    at_step: IfGiven[Annotated[Integer, Field(ge=0)]] = Field(
        default=None,
        description="Step of the call, counted from 0. A step is an agent message with its calls.",
        examples=[0],
    )
    before_step: IfGiven[Annotated[Integer, Field(ge=1)]] = Field(
        default=None,
        description="The call must come before this step, counted from 0.",
        examples=[3],
    )

    def matches(self, call: Call, last: Call | None) -> bool:
        return (
            call.answered
            and super().matches(call, last)
            and (not self.final or call is last)
            and (self.at_step is None or call.step == self.at_step)
            and (self.before_step is None or call.step < self.before_step)
        )

    def contradictions(self) -> Iterator[Finding]:
        yield from super().contradictions()
        if self.at_step is not None and self.before_step is not None and self.at_step >= self.before_step:
            message = f"Step {self.at_step} is not before step {self.before_step}"
            yield CONTRADICTORY_CHECKS.at(("at_step",), message, severity=Severity.WARNING)
        if self.final and self.min_count > 1:
            message = "Only one call can be the last"
            yield CONTRADICTORY_CHECKS.at(("min_count",), message, severity=Severity.WARNING)


_Tool = TypeVar("_Tool", bound=SequenceTool)


def entries(items: list[_Tool | str], kind: type[_Tool]) -> list[_Tool]:
    """Return the entries, with strings expanded."""
    return [kind.model_validate({"name": it}) if isinstance(it, str) else it for it in items]


def entry_refusals(option: str, items: list[Any], kind: type[SequenceTool]) -> Iterator[Finding]:
    """Yield findings on the patterns of a list that prevent a run."""
    for pointer, pattern in _patterns(option, items, kind):
        yield from pattern_refusals(pattern, pointer)


def entry_findings(option: str, items: list[Any], kind: type[SequenceTool]) -> Iterator[Finding]:
    """Yield remarks on the patterns and conditions of a list of entries."""
    for pointer, pattern in _patterns(option, items, kind):
        yield from pattern_findings(pattern, pointer)
    for index, tool in enumerate(entries(items, kind)):
        yield from (it.below((option, index)) for it in tool.contradictions())


def _patterns(option: str, items: list[Any], kind: type[SequenceTool]) -> Iterator[tuple[Pointer, str]]:
    for index, (raw, tool) in enumerate(zip(items, entries(items, kind), strict=True)):
        for pointer, pattern in tool.patterns():
            yield (option, index) if isinstance(raw, str) else (option, index, *pointer), pattern
