r"""Checks for required, forbidden and allowed tools, with patterns for their arguments.

## What it looks at
The tool calls of the session digest with their arguments. It makes no difference whether a call succeeded. Without a
session digest, the grader fails.

## Score
Each item of `expect_tools` and of `reject_tools` is one check. With `allow_only`, each call is one more. The score is
the share of checks that passed. Example: one tool is expected and was used, one is rejected and was not used, and two
of four calls are not allowed. The score is (1 + 1 + 2) / (1 + 1 + 4) = 0.67, and the grader fails.

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
- `tool` is a case-insensitive RE2 pattern that may match anywhere in the name: `as` matches `bash`. To match one
  tool, write `^bash$`.
- In `allow_only`, `tool` is a whole name, and different agents' names for the same tool are equal: `view` is `read`.
- A missing argument counts as the empty string, which `^$` matches.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.analysis.schema.messages import LEGACY_SHAPE
from waza_engine.dialects.waza.generations.meanings import newest_generation
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
from waza_engine.graders.close_calls import CALLS, calls_seen, seen_calls
from waza_engine.graders.drafts import common_tools
from waza_engine.graders.result import go_details
from waza_engine.lib.go.regexp import literal
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import IfGiven, ListOf
from waza_engine.model.findings import AppendItem, Finding, Fix, RemoveKey, SetValue, removal
from waza_engine.model.trajectory import Session, ToolCall

_DROPPED_OPTIONS = {
    "max_turns": "no grader limits turns any more",
    "max_tokens": "use 'max_tokens' of a 'behavior' grader",
}
"""Options that the type had in February 2026, each with its replacement."""


class ToolConstraintGrader(Grader):
    type_name = "tool_constraint"
    at_least_one = ("expect_tools", "reject_tools", "allow_only")
    demands: ClassVar = {"expect_tools": Demand.TOOL_CALLS}

    expect_tools: ListOf[ToolSpec] = Field(
        default=[],
        description="Tools that must be used: for each item, at least one call must match.",
        examples=[[{"tool": "^bash$", "command_pattern": r"azd\s+up"}]],
    )
    reject_tools: ListOf[ToolSpec] = Field(
        default=[],
        description="Tools that must not be used: no call may match any item.",
        examples=[[{"tool": "^bash$", "command_pattern": r"rm\s+-rf"}]],
    )
    allow_only: IfGiven[ListOf[ToolSpec]] = Field(
        default=None,
        description="The only tools allowed: every call must match an item. An empty list allows no calls. "
        "`tool` is a whole name in this list, not a pattern.",
        examples=[[{"tool": "bash"}, {"tool": "edit"}]],
    )

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        """Yield findings for plain names, `max_turns` and `max_tokens`: the format of three days in February 2026.

        Runs read a grader that is entirely in this format, and refuse a mixture of both.
        """
        is_old = newest_generation(cls.type_name, config) == "G1" and not _has_mappings(config)
        report = LEGACY_SHAPE.at if is_old else refused_shape
        fate = "'{}' is an old form that newer versions of waza refuse"
        plain = "Plain names under '{}' are an old form that newer versions of waza refuse"
        if not is_old:
            fate, plain = (
                "Runs refuse '{}' beside the new form",
                "Runs refuse plain names in '{}' beside mappings",
            )
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
                message = f"{plain.format(option)}. Write a mapping, such as {{tool: {_pattern_of(name)}}}"
                yield report((option, first), message, fixes=[fix])
        for option, replacement in _DROPPED_OPTIONS.items():
            if config.get(option) not in (None, "", [], {}):
                message = f"{fate.format(option)}: {replacement}"
                yield report((option,), message, on="key", fixes=_limit_fixes(option, config))

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
        # A JSON Schema that does not compile is a load error, so compile before looking for the session.
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
            return GraderResult.failed("The run has no session digest")
        calls = session.tool_calls
        unmet = [(at, it.spec) for at, it in enumerate(expected) if not it.fits_one_of(calls)]
        hit = [(at, it.spec) for at, it in enumerate(rejected) if it.fits_one_of(calls)]
        violations = [] if self.allow_only is None else [it for it in calls if not _is_allowed(it, allowed)]
        # Each forbidden call is a failed check, but the feedback names each tool once.
        names = list(dict.fromkeys(it.name for it in violations))
        seen = seen_calls(context)
        failures = [
            *(
                FailedCheck(
                    ("expect_tools", index),
                    f"not used: {it.label}",
                    expected[index].closest(seen),
                    place=CALLS,
                )
                for index, it in unmet
            ),
            *(
                FailedCheck(
                    ("reject_tools", index),
                    f"used: {it.label}",
                    calls_seen(seen, [at for at, call in enumerate(calls) if rejected[index].fits(call)]),
                    place=CALLS,
                )
                for index, it in hit
            ),
            *(
                FailedCheck(
                    ("allow_only",),
                    f"not allowed: {it}",
                    calls_seen(seen, [at for at, call in enumerate(calls) if call.name == it]),
                    place=CALLS,
                )
                for it in names
            ),
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


def _has_mappings(config: Mapping[str, Any]) -> bool:
    lists = (config.get(it) for it in ("expect_tools", "reject_tools", "allow_only"))
    return any(isinstance(it, Mapping) for items in lists if isinstance(items, list) for it in items)


def _limit_fixes(option: str, config: Mapping[str, Any]) -> Iterator[Fix]:
    """Yield fixes that move the limit to the grader that supports it, if any, or remove it."""
    limit = config[option]
    if option == "max_tokens" and isinstance(limit, int) and limit > 0:
        # The limit is part of the name: equal limits give equal names, and one such grader is enough.
        entry = {
            "type": "behavior",
            "name": f"at-most-{limit}-tokens",
            "config": {"max_tokens": limit},
        }
        moved = (RemoveKey((option,)), AppendItem(("..", ".."), entry))
        yield Fix("Move it to a 'behavior' grader", moved, preferred=True)
    yield removal((option,))


def _pattern_of(name: str) -> str:
    """Return the pattern that matches the tool that a plain name stood for."""
    # Patterns are case-insensitive, plain names were not. Keep that only for names with capitals.
    return f"^{literal(name)}$" if name == name.lower() else f"(?-i:^{literal(name)}$)"


def _is_allowed(call: ToolCall, allowed: Sequence[SpecTest]) -> bool:
    return any(it.fits(call) for it in allowed)
