r"""Tools that must be used, must not be used, or are the only ones allowed, with patterns for their arguments.

## What it looks at
The tool calls of the session digest with their arguments; whether a call succeeded does not matter. Without a
session digest the grader fails.

## Score
Each item of `expect_tools` and of `reject_tools` is one check; with `allow_only` each call is one more. The score is
the share of checks that passed. One tool expected and found, one rejected and not found, and two of four calls not
allowed: (1 + 1 + 2) / (1 + 1 + 4) = 0.67, not passed.

## Example
```yaml
type: tool_constraint
name: deploys-with-azd
config:
  expect_tools:
    - tool: ^bash$
      command_pattern: azd\s+up
  reject_tools:
    - tool: ^bash$
      command_pattern: rm\s+-rf
```

## Watch out
- `tool` is an RE2 pattern in any case, found anywhere in the name: `as` finds `bash`. Write `^bash$` for one tool.
- In `allow_only` it is a whole name, and tools that different agents call differently are one: `view` is `read`.
- An argument that a call does not have is the empty text, which `^$` finds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field

from waza_engine.common_ground import tools_of_all
from waza_engine.excerpts import calls_made
from waza_engine.findings import AppendItem, Finding, Fix, Pointer, RemoveKey, SetValue
from waza_engine.formats.model import FileModel, foreign, marks
from waza_engine.graders.base import Demand, Drafted, FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.result import as_in_go
from waza_engine.matchers import (
    ArgumentTest,
    Matchers,
    known_arguments,
    matcher_documents,
    matcher_findings,
    tool_pattern,
)
from waza_engine.regex import any_case_error, literal, regex_error, regex_fault, regex_found
from waza_engine.regex_mending import regex_fixes
from waza_engine.rules.blank_tool_name import BLANK_TOOL_NAME
from waza_engine.rules.invalid_regex import INVALID_REGEX
from waza_engine.rules.legacy_shape import refused_shape
from waza_engine.rules.non_portable_regex import doubtful_findings
from waza_engine.text import trim
from waza_engine.tool_names import is_same_tool
from waza_engine.trajectory import Session, ToolCall
from waza_engine.values import IfGiven, ListOf, Text

_PATTERNS = ("command_pattern", "skill_pattern", "path_pattern")
_DROPPED = {
    "max_turns": "nothing limits turns now",
    "max_tokens": "a 'behavior' grader has 'max_tokens'",
}
"""Options that the type had in February 2026, and what there is instead."""


class ToolSpec(FileModel):
    """A tool, and what its arguments look like."""

    model_config = ConfigDict(
        json_schema_extra=foreign(
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
        description="RE2 pattern of the tool's name, in any case, found anywhere in it.",
        examples=["^bash$"],
        json_schema_extra=marks(reference="tool", language="regex"),
    )
    command_pattern: Text = Field(
        default="",
        description="RE2 pattern found in the `command` argument, in any case.",
        examples=[r"azd\s+up"],
        json_schema_extra=marks(language="regex"),
    )
    skill_pattern: Text = Field(
        default="",
        description="RE2 pattern found in the `skill` argument, in any case.",
        examples=["^azure-"],
        json_schema_extra=marks(language="regex"),
    )
    path_pattern: Text = Field(
        default="",
        description="RE2 pattern found in the `path` argument, in any case.",
        examples=[r"\.go$"],
        json_schema_extra=marks(language="regex"),
    )
    args: Matchers = Field(
        default={},
        description="What the arguments of the call must be, by argument name.",
        examples=[{"path": {"regex": r"\.go$"}}],
        json_schema_extra=marks(since="0.36"),
    )

    @property
    def name(self) -> str:
        """The tool, without blanks around it."""
        return trim(self.tool)

    @property
    def label(self) -> str:
        """The spec in one line, for feedback."""
        patterns = [
            f"{it.removesuffix('_pattern')} ~ {getattr(self, it)}" for it in _PATTERNS if getattr(self, it)
        ]
        patterns += [f"{name} {it.kind}" for name, it in self.args.items()]
        return f"{self.name} ({', '.join(patterns)})" if patterns else self.name


@dataclass(frozen=True, slots=True)
class _Spec:
    """A spec ready to be put to calls; `whole_name` is the reading of `allow_only`."""

    spec: ToolSpec
    test: ArgumentTest
    whole_name: bool

    def fits(self, call: ToolCall) -> bool:
        return self._fits_name(call.name) and self._fits_arguments(call)

    def fits_one_of(self, calls: Sequence[ToolCall]) -> bool:
        return any(self.fits(it) for it in calls)

    def _fits_name(self, name: str) -> bool:
        if self.whole_name:
            return is_same_tool(self.spec.name, name)
        return regex_found(tool_pattern(self.spec.name), name) is True

    def _fits_arguments(self, call: ToolCall) -> bool:
        for option in _PATTERNS:
            pattern = getattr(self.spec, option)
            value = call.arguments.get(option.removesuffix("_pattern"), "")
            if pattern and not regex_found(f"(?i){pattern}", value if isinstance(value, str) else ""):
                return False
        return self.test.passes(known_arguments(call))


class ToolConstraintGrader(Grader):
    type_name = "tool_constraint"
    at_least_one = ("expect_tools", "reject_tools", "allow_only")
    demands: ClassVar = {"expect_tools": Demand.TOOL_CALLS}

    expect_tools: ListOf[ToolSpec] = Field(
        default=[],
        description="For each item some call must fit it.",
        examples=[[{"tool": "^bash$", "command_pattern": r"azd\s+up"}]],
    )
    reject_tools: ListOf[ToolSpec] = Field(
        default=[],
        description="No call may fit any of these.",
        examples=[[{"tool": "^bash$", "command_pattern": r"rm\s+-rf"}]],
    )
    allow_only: IfGiven[ListOf[ToolSpec]] = Field(
        default=None,
        description="Every call must fit one of these; an empty list allows no call. Names are whole names here.",
        examples=[[{"tool": "bash"}, {"tool": "edit"}]],
        json_schema_extra=marks(since="0.36"),
    )

    @classmethod
    def check_written(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        """Plain names, `max_turns` and `max_tokens`: the type as it was for three days in February 2026."""
        for option in ("expect_tools", "reject_tools"):
            items = config.get(option)
            names = (
                [(at, it) for at, it in enumerate(items) if it and isinstance(it, str)]
                if isinstance(items, list)
                else []
            )
            if names:
                changes = [SetValue((option, at), {"tool": _pattern_of(it)}) for at, it in names]
                fix = Fix("Change to mappings with 'tool'", tuple(changes), preferred=True)
                (first, name), *_ = names
                message = f"Plain names are an old form, which runs refuse; each item is now a mapping, such as {{tool: {_pattern_of(name)}}}"
                yield refused_shape((option, first), message, fixes=[fix])
        for option, instead in _DROPPED.items():
            if config.get(option) not in (None, "", [], {}):
                message = f"'{option}' is from older versions, and runs refuse it; {instead}"
                yield refused_shape((option,), message, on="key", fixes=_limit_fixes(option, config))

    @classmethod
    def drafted(cls, trials: Sequence[GradingContext]) -> Drafted | None:
        tools = tools_of_all(trials)[:5]
        specs = [ToolSpec(tool=f"^{literal(it)}$") for it in tools]
        return Drafted("uses-its-tools", ", ".join(tools), cls(expect_tools=specs)) if tools else None

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        return matcher_documents(config, process_dir)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for option in ("expect_tools", "reject_tools", "allow_only"):
            for index, spec in enumerate(getattr(self, option) or ()):
                yield from _name_findings(spec, (option, index, "tool"), whole_name=option == "allow_only")
                yield from _pattern_findings(spec, (option, index))
                yield from matcher_findings(spec.args, scope.process_dir, (option, index, "args"))

    def grade(self, context: GradingContext) -> GraderResult:
        # An argument's schema that does not compile is a load error: it comes before there being no session.
        expected, rejected, allowed = (
            [_Spec(it, ArgumentTest(it.args, context.process_dir), whole_name) for it in specs or ()]
            for specs, whole_name in (
                (self.expect_tools, False),
                (self.reject_tools, False),
                (self.allow_only, True),
            )
        )
        session = context.session
        if session is None:
            return GraderResult.failed("There is no session to look into")
        calls = session.tool_calls
        unmet = [(at, it.spec) for at, it in enumerate(expected) if not it.fits_one_of(calls)]
        hit = [(at, it.spec) for at, it in enumerate(rejected) if it.fits_one_of(calls)]
        violations = [] if self.allow_only is None else [it for it in calls if not _is_allowed(it, allowed)]
        # A tool that is not allowed is told once, but each of its calls is a failed check.
        names = list(dict.fromkeys(it.name for it in violations))
        used = calls_made([it.name for it in calls])
        failures = [
            *(FailedCheck(("expect_tools", index), f"not used: {it.label}", used) for index, it in unmet),
            *(FailedCheck(("reject_tools", index), f"used: {it.label}") for index, it in hit),
            *(FailedCheck(("allow_only",), f"not allowed: {it}") for it in names),
        ]
        texts = [it.message for it in failures]
        allow_checks = 0 if self.allow_only is None else max(len(calls), 1)
        total = len(self.expect_tools) + len(self.reject_tools) + allow_checks
        return GraderResult(
            (total - len(unmet) - len(hit) - len(violations)) / total,
            not failures,
            "; ".join(texts) or "All checks passed",
            self._details(session, texts, names),
            parts=tuple(failures),
        )

    def _details(self, session: Session, failures: list[str], violations: list[str]) -> dict[str, Any]:
        details: dict[str, Any] = {
            "expect_tools": [it.label for it in self.expect_tools],
            "reject_tools": [it.label for it in self.reject_tools],
            "failures": failures,
            "tools_used": list(session.tools_used),
        }
        if session.usage:
            details |= {"tokens_total": session.usage.tokens, "total_turns": session.usage.turns}
        if self.allow_only is not None:
            details |= {
                "allow_only": [it.label for it in self.allow_only],
                "allow_only_declared": [it.name for it in self.allow_only],
                "allow_only_violations": violations,
            }
        return as_in_go(details)


def _limit_fixes(option: str, config: Mapping[str, Any]) -> Iterator[Fix]:
    """The limit in the grader that has it now, if there is one, or gone."""
    limit = config[option]
    if option == "max_tokens" and isinstance(limit, int) and limit > 0:
        # Of two that are the same, and so have the same name, one is enough.
        entry = {
            "type": "behavior",
            "name": f"at-most-{limit}-tokens",
            "config": {"max_tokens": limit},
        }
        moved = (RemoveKey((option,)), AppendItem(("..", ".."), entry))
        yield Fix("Move it to a 'behavior' grader", moved, preferred=True)
    yield Fix(f"Remove '{option}'", (RemoveKey((option,)),))


def _pattern_of(name: str) -> str:
    """The pattern that finds what a plain name was equal to."""
    # Patterns find a tool in any case. Who wrote capitals meant them; of other names the plain pattern is the usual one.
    return f"^{literal(name)}$" if name == name.lower() else f"(?-i:^{literal(name)}$)"


def _is_allowed(call: ToolCall, allowed: Sequence[_Spec]) -> bool:
    return any(it.fits(call) for it in allowed)


def _name_findings(spec: ToolSpec, pointer: Pointer, *, whole_name: bool) -> Iterator[Finding]:
    if not spec.name:
        yield BLANK_TOOL_NAME.at(pointer, "The tool has no name", refused=True)
    elif not whole_name and (reason := any_case_error(spec.name)):
        yield INVALID_REGEX.at(
            pointer, f"Not a valid RE2 pattern: {reason}", refused=True, part=regex_fault(spec.name)
        )


def _pattern_findings(spec: ToolSpec, pointer: Pointer) -> Iterator[Finding]:
    for option in _PATTERNS:
        pattern = getattr(spec, option)
        if reason := any_case_error(pattern):
            message = f"Not a valid RE2 pattern: {reason}"
            place, part = (*pointer, option), regex_fault(pattern)
            fixes = regex_fixes(pattern, place)
            yield INVALID_REGEX.at(place, message, refused=True, part=part, fixes=fixes)
        else:
            yield from doubtful_findings(pattern, (*pointer, option), lambda it: regex_error(it) is None)
