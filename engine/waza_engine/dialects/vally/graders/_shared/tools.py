"""One entry of `tool-calls`: which calls it means (docs/reference/vally.md, section 7.5)."""

from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import Field, GetJsonSchemaHandler, Tag
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
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import FileModel
from waza_engine.rules.contradictory_checks import CONTRADICTORY_CHECKS


def form_of(entry: Any) -> str:
    """Which of its two forms an entry has."""
    return "entry" if isinstance(entry, dict | SequenceTool) else "name"


class AnyForm:
    """Marks a choice between the two forms: the schema says `anyOf`, which other tools explain better."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        return {"anyOf": schema["oneOf"]}


ToolName = Annotated[Text, Field(min_length=1), Tag("name")]


class SequenceTool(FileModel):
    """A tool call: all that is given must hold for the same call. A text is short for its `name`."""

    name: Text = Field(
        min_length=1,
        description="A JavaScript pattern to look for anywhere in the tool's name.",
        examples=["^(edit|create)$"],
        json_schema_extra=pattern_marks(),
    )
    command: IfGiven[Text] = Field(
        default=None,
        description="A pattern to look for in the argument `command`.",
        examples=["\\bgit push\\b"],
        json_schema_extra=pattern_marks(),
    )
    path: IfGiven[Text] = Field(
        default=None,
        description="A pattern to look for in the argument `path`.",
        examples=["\\.env$"],
        json_schema_extra=pattern_marks(),
    )
    args: TextMap = Field(
        default={},
        description="Patterns to look for in arguments, by name. What is no text is looked at as JSON.",
        examples=[{"url": "^https://"}],
        json_schema_extra={"additionalProperties": {"type": "string", **pattern_marks()}},
    )

    def patterns(self) -> Iterator[tuple[Pointer, str]]:
        """All patterns with their places."""
        for option in ("name", "command", "path", "result"):
            if pattern := getattr(self, option, None):
                yield (option,), pattern
        for name, pattern in self.args.items():
            yield ("args", name), pattern

    def means(self, call: Call, last: Call | None) -> bool:
        """Whether it means this call; `last` is the last one of the run.

        Raises:
            TooSlowError: a pattern took too long.

        """
        named = [("command", self.command), ("path", self.path), *self.args.items()]
        wanted = [(name, it) for name, it in named if it is not None]
        return bool(js_matches(self.name, call.name)) and all(
            name in call.arguments and bool(js_matches(it, as_text(call.arguments[name])))
            for name, it in wanted
        )

    @property
    def said(self) -> str:
        """The entry in one line."""
        given = self.model_dump(exclude_defaults=True)
        return (
            self.name
            if set(given) == {"name"}
            else ", ".join(f"{key}: {_shown(it)}" for key, it in given.items())
        )


class DisallowedTool(SequenceTool):
    """A tool call that must not happen. A text is short for its `name`."""

    result: IfGiven[Text] = Field(
        default=None,
        description="A pattern to look for in the result; what is no text is looked at as JSON.",
        examples=["(?i)permission denied"],
        json_schema_extra=pattern_marks(),
    )

    def means(self, call: Call, last: Call | None) -> bool:
        if not super().means(call, last):
            return False
        return self.result is None or (call.answered and bool(js_matches(self.result, as_text(call.result))))


class RequiredTool(DisallowedTool):
    """A tool call that must happen. A text is short for its `name`."""

    min_count: Integer = Field(default=1, ge=1, description="How many calls must be like this.", examples=[2])
    final: IfGiven[Flag] = Field(
        default=None, description="Whether it must be the last call of the run.", examples=[True]
    )
    at_step: IfGiven[Annotated[Integer, Field(ge=0)]] = Field(
        default=None,
        description="The step, from 0, that the call must be in: a step is a message of the agent with its calls.",
        examples=[0],
    )
    before_step: IfGiven[Annotated[Integer, Field(ge=1)]] = Field(
        default=None,
        description="The call must be in a step before this one; steps count from 0.",
        examples=[3],
    )

    def means(self, call: Call, last: Call | None) -> bool:
        return (
            call.answered
            and super().means(call, last)
            and (not self.final or call is last)
            and (self.at_step is None or call.step == self.at_step)
            and (self.before_step is None or call.step < self.before_step)
        )

    def contradictions(self) -> Iterator[Finding]:
        """Why no run can have what is asked for."""
        if self.at_step is not None and self.before_step is not None and self.at_step >= self.before_step:
            yield CONTRADICTORY_CHECKS.at(
                ("at_step",), f"Step {self.at_step} is not before step {self.before_step}"
            )
        if self.final and self.min_count > 1:
            yield CONTRADICTORY_CHECKS.at(("min_count",), "Only one call can be the last one")


_Tool = TypeVar("_Tool", bound=SequenceTool)


def entries(written: list[_Tool | str], kind: type[_Tool]) -> list[_Tool]:
    """The entries, texts as what they are short for."""
    return [kind.model_validate({"name": it}) if isinstance(it, str) else it for it in written]


def entry_refusals(option: str, written: list[Any], kind: type[SequenceTool]) -> Iterator[Finding]:
    """Yield what forbids a run in the patterns of a list of entries."""
    for pointer, pattern in _patterns(option, written, kind):
        yield from pattern_refusals(pattern, pointer)


def entry_findings(option: str, written: list[Any], kind: type[SequenceTool]) -> Iterator[Finding]:
    """Yield what is doubtful in the patterns and conditions of a list of entries."""
    for pointer, pattern in _patterns(option, written, kind):
        yield from pattern_findings(pattern, pointer)
    for index, tool in enumerate(entries(written, kind)):
        if isinstance(tool, RequiredTool):
            yield from (it.below((option, index)) for it in tool.contradictions())


def _patterns(option: str, written: list[Any], kind: type[SequenceTool]) -> Iterator[tuple[Pointer, str]]:
    for index, (raw, tool) in enumerate(zip(written, entries(written, kind), strict=True)):
        for pointer, pattern in tool.patterns():
            yield (option, index) if isinstance(raw, str) else (option, index, *pointer), pattern


def _shown(value: Any) -> str:
    return as_text(value)
