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
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.rules.legacy_shape import refused_shape
from waza_engine.dialects.waza.tool_args import ArgumentTest, matcher_documents
from waza_engine.dialects.waza.tools import SpecTest, ToolSpec, spec_findings, spec_refusals
from waza_engine.graders.base import (
    Demand,
    DraftedGrader,
    FailedCheck,
    Grader,
    GraderResult,
    GradingContext,
    Scope,
)
from waza_engine.graders.drafts import common_tools
from waza_engine.graders.excerpts import names_used
from waza_engine.graders.result import go_details
from waza_engine.lib.go.regexp import literal
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import IfGiven, ListOf
from waza_engine.model.findings import AppendItem, Finding, Fix, RemoveKey, SetValue
from waza_engine.model.schema_marks import marks
from waza_engine.model.trajectory import Session, ToolCall

_DROPPED = {
    "max_turns": "nothing limits turns now",
    "max_tokens": "a 'behavior' grader has 'max_tokens'",
}
"""Options that the type had in February 2026, and what there is instead."""


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
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
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
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        tools = common_tools(trials)[:5]
        specs = [ToolSpec(tool=f"^{literal(it)}$") for it in tools]
        return DraftedGrader("uses-its-tools", ", ".join(tools), cls(expect_tools=specs)) if tools else None

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        return matcher_documents(config, process_dir)

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for pointer, spec in self._specs():
            is_name = pointer[0] == "allow_only"
            yield from spec_refusals(spec, scope.process_dir, pointer, whole_name=is_name)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for pointer, spec in self._specs():
            yield from spec_findings(spec, pointer)

    def _specs(self) -> Iterator[tuple[Pointer, ToolSpec]]:
        for option in ("expect_tools", "reject_tools", "allow_only"):
            for index, spec in enumerate(getattr(self, option) or ()):
                yield (option, index), spec

    def grade(self, context: GradingContext) -> GraderResult:
        # An argument's schema that does not compile is a load error: it comes before there being no session.
        expected, rejected, allowed = (
            [SpecTest(it, ArgumentTest(it.args, context.process_dir), whole_name) for it in specs or ()]
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
        used = names_used([it.name for it in calls])
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
        return go_details(details)


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


def _is_allowed(call: ToolCall, allowed: Sequence[SpecTest]) -> bool:
    return any(it.fits(call) for it in allowed)
