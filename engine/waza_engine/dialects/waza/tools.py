"""Match tool calls with the tools that a config names, and compare lists of names.

See docs/reference/waza-graders.md, sections 5.11 and 5.12 for tools, 5.8 and 5.9 for lists.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.tool_args import ArgumentTest, Matchers, known_arguments, matcher_refusals
from waza_engine.executors.tool_names import is_same_tool
from waza_engine.graders.close_calls import SeenCall, close_calls
from waza_engine.lib.go.regexp import case_insensitive_error, regex_error, regex_error_span, regex_matches
from waza_engine.lib.go.text import trim
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import Text
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import FileModel, foreign_keys, marks
from waza_engine.model.trajectory import ToolCall
from waza_engine.rules._patterns import regex_fixes
from waza_engine.rules.blank_tool_name import BLANK_TOOL_NAME
from waza_engine.rules.invalid_regex import INVALID_REGEX
from waza_engine.rules.non_portable_regex import doubtful_findings

_PATTERNS = ("command_pattern", "skill_pattern", "path_pattern")


class ToolSpec(FileModel):
    """A tool, with patterns for its arguments."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "name": "tool",
                "tool_name": "tool",
                "command": "command_pattern",
                "skill": "skill_pattern",
                "path": "path_pattern",
            }
        )
    )

    tool: Text = Field(
        min_length=1,
        description="RE2 pattern for the tool's name (case-insensitive; may match anywhere in the name).",
        examples=["^bash$"],
        json_schema_extra=marks(reference="tool", language="regex"),
    )
    command_pattern: Text = Field(
        default="",
        description="RE2 pattern that must match in the `command` argument (case-insensitive).",
        examples=[r"azd\s+up"],
        json_schema_extra=marks(language="regex"),
    )
    skill_pattern: Text = Field(
        default="",
        description="RE2 pattern that must match in the `skill` argument (case-insensitive).",
        examples=["^azure-"],
        json_schema_extra=marks(language="regex"),
    )
    path_pattern: Text = Field(
        default="",
        description="RE2 pattern that must match in the `path` argument (case-insensitive).",
        examples=[r"\.go$"],
        json_schema_extra=marks(language="regex"),
    )
    args: Matchers = Field(
        default={},
        description="Matchers for the arguments of the call, by argument name.",
        examples=[{"path": {"regex": r"\.go$"}}],
    )

    @property
    def name(self) -> str:
        """The tool's name or pattern, trimmed."""
        return trim(self.tool)

    @property
    def label(self) -> str:
        """The spec in one line, for feedback."""
        pairs = [(option.removesuffix("_pattern"), getattr(self, option)) for option in _PATTERNS]
        patterns = [f"{argument} ~ {pattern}" for argument, pattern in pairs if pattern]
        patterns += [f"{name} {it.kind}" for name, it in self.args.items()]
        return f"{self.name} ({', '.join(patterns)})" if patterns else self.name


@dataclass(frozen=True, slots=True)
class SpecTest:
    """A spec compiled for matching calls. Its name is a pattern, or with `whole_name` a complete name."""

    spec: ToolSpec
    test: ArgumentTest
    whole_name: bool

    def fits(self, call: ToolCall) -> bool:
        return self._fits_name(call.name) and self._fits_arguments(call)

    def fits_one_of(self, calls: Sequence[ToolCall]) -> bool:
        return any(self.fits(it) for it in calls)

    def closest(self, calls: Sequence[SeenCall]) -> str:
        """Return the calls that come closest to the spec."""
        named = [index for index, it in enumerate(calls) if self._fits_name(it.name)]
        return close_calls(calls, self.spec.name, self.spec.label, named)

    def _fits_name(self, name: str) -> bool:
        if self.whole_name:
            return is_same_tool(self.spec.name, name)
        return regex_matches(tool_pattern(self.spec.name), name) is True

    def _fits_arguments(self, call: ToolCall) -> bool:
        for option in _PATTERNS:
            pattern = getattr(self.spec, option)
            value = call.arguments.get(option.removesuffix("_pattern"), "")
            if pattern and not regex_matches(f"(?i){pattern}", value if isinstance(value, str) else ""):
                return False
        return self.test.passes(known_arguments(call))


def tool_pattern(name: str) -> str:
    """Return the pattern for a tool name in a config: case-insensitive, anywhere in the call's name."""
    return f"(?i){name}"


def tool_refusals(name: str, pointer: Pointer, *, whole_name: bool = False) -> Iterator[Finding]:
    """Yield errors that forbid a run in the tool at `pointer`: a pattern, or with `whole_name` a name."""
    if not trim(name):
        yield BLANK_TOOL_NAME.at(pointer, "The tool has no name", refused=True)
    elif not whole_name and (reason := case_insensitive_error(name)):
        message = f"Not a valid RE2 pattern: {reason}"
        yield INVALID_REGEX.at(pointer, message, refused=True, part=regex_error_span(name))


def spec_refusals(
    spec: ToolSpec, base_dir: Path | None, pointer: Pointer, *, whole_name: bool
) -> Iterator[Finding]:
    """Yield errors that forbid a run in the spec at `pointer`. `$ref`s are relative to `base_dir`."""
    yield from tool_refusals(spec.name, (*pointer, "tool"), whole_name=whole_name)
    for option in _PATTERNS:
        pattern = getattr(spec, option)
        if reason := case_insensitive_error(pattern):
            message = f"Not a valid RE2 pattern: {reason}"
            place, part = (*pointer, option), regex_error_span(pattern)
            fixes = regex_fixes(pattern, place)
            yield INVALID_REGEX.at(place, message, refused=True, part=part, fixes=fixes)
    yield from matcher_refusals(spec.args, base_dir, (*pointer, "args"))


def spec_findings(spec: ToolSpec, pointer: Pointer) -> Iterator[Finding]:
    """Yield warnings about valid patterns of the spec at `pointer`."""
    for option in _PATTERNS:
        pattern = getattr(spec, option)
        if not case_insensitive_error(pattern):
            yield from doubtful_findings(pattern, (*pointer, option), lambda text: regex_error(text) is None)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How well two multisets agree; each figure is 0..1."""

    precision: float
    recall: float
    f1: float


PERFECT = Overlap(1.0, 1.0, 1.0)


def overlap(expected: Sequence[str], actual: Sequence[str]) -> Overlap:
    """Return precision, recall and their harmonic mean; 0 instead of a division by zero."""
    hits = (Counter(expected) & Counter(actual)).total()
    precision = hits / len(actual) if actual else 0.0
    recall = hits / len(expected) if expected else 0.0
    both = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / both if both else 0.0)


def in_order(expected: Iterable[str], actual: Iterable[str]) -> bool:
    """Whether `expected` is a subsequence of `actual`."""
    rest = iter(actual)
    return all(it in rest for it in expected)


def any_order(expected: Sequence[str], actual: Sequence[str]) -> bool:
    """Whether every expected name occurs at least as often as listed."""
    return not Counter(expected) - Counter(actual)
