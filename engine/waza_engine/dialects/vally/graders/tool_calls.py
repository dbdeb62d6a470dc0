r"""Tool calls that the agent must make, must not make, or must make in order.

## What it looks at
All tool calls of the trial with their arguments and results. Names, arguments and results are looked at with JavaScript
patterns that may be found anywhere: `edit` means `str_replace_edit`, too, and MCP tools carry the name of their server
in front.

## Score
1 when all of it holds, otherwise 0: every entry of `required` means at least `min_count` calls, no entry of
`disallowed` means any, the entries of `sequence` mean calls in this order, with others between them, and those of
`parallel` mean calls of one step.

## Example
```yaml
type: tool-calls
config:
  required:
    - name: ^bash$
      command: \bnpm (test|t)\b
  disallowed: [web_fetch]
  sequence: [view, edit]
```

## Watch out
- A call without a result, as a run leaves it that was stopped, counts for `disallowed` only.
- A call that lacks an argument is not meant by an entry with a pattern for it.
- A slip in `disallowed` passes for ever.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Discriminator, Field, Tag

from waza_engine.dialects.vally.fields import given_list
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.tools import (
    AnyForm,
    DisallowedTool,
    RequiredTool,
    SequenceTool,
    ToolName,
    entries,
    entry_findings,
    entry_refusals,
    form_of,
)
from waza_engine.dialects.vally.trajectory.calls import Call, known_calls
from waza_engine.graders.base import Demand, DraftedGrader, FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.drafts import common_tools
from waza_engine.graders.excerpts import names_used
from waza_engine.lib.js_regex import TooSlowError
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import marks
from waza_engine.rules.contradictory_checks import in_both

_Required = Annotated[Annotated[RequiredTool, Tag("entry")] | ToolName, Discriminator(form_of), AnyForm()]
_Disallowed = Annotated[Annotated[DisallowedTool, Tag("entry")] | ToolName, Discriminator(form_of), AnyForm()]
_Sequence = Annotated[Annotated[SequenceTool, Tag("entry")] | ToolName, Discriminator(form_of), AnyForm()]

_ENTRIES = {
    "required": RequiredTool,
    "disallowed": DisallowedTool,
    "sequence": SequenceTool,
    "parallel": SequenceTool,
}


class ToolCallsGrader(VallyGrader):
    type_name = "tool-calls"
    at_least_one = ("required", "disallowed", "sequence", "parallel")
    demands: ClassVar = {"required": Demand.TOOL_CALLS, "sequence": Demand.TOOL_CALLS}

    required: Annotated[list[_Required], BeforeValidator(given_list)] = Field(
        default=[],
        description="Calls that must each happen.",
        examples=[["bash", {"name": "edit", "path": "\\.py$"}]],
    )
    disallowed: Annotated[list[_Disallowed], BeforeValidator(given_list)] = Field(
        default=[],
        description="Calls that must not happen.",
        examples=[["web_fetch", {"name": "bash", "command": "rm -rf"}]],
    )
    sequence: Annotated[list[_Sequence], BeforeValidator(given_list)] = Field(
        default=[],
        description="Calls that must happen in this order; others may lie between them.",
        examples=[["view", "edit", "bash"]],
    )

    parallel: Annotated[list[_Sequence], BeforeValidator(given_list)] = Field(
        default=[],
        description="Calls that must happen in one step, in any order: one message of the agent makes them all.",
        examples=[["view", "grep"]],
        json_schema_extra=marks(since="0.15"),
    )

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        tools = common_tools(trials)[:5]
        return DraftedGrader("uses-its-tools", ", ".join(tools), cls(required=[*tools])) if tools else None

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for option, kind in _ENTRIES.items():
            yield from entry_refusals(option, getattr(self, option), kind)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for option, kind in _ENTRIES.items():
            yield from entry_findings(option, getattr(self, option), kind)
        wanted, unwanted = ([_plain_name(it) for it in items] for items in (self.required, self.disallowed))
        for it in in_both("required", wanted, "disallowed", unwanted):
            if unwanted[int(it.pointer[1])]:
                yield it

    def grade(self, context: GradingContext) -> GraderResult:
        calls = known_calls(context)
        try:
            failures = tuple(self._failures(calls))
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}")
        details = {"calls": [it.name for it in calls]}
        if failures:
            return GraderResult.failed("; ".join(it.message for it in failures), details, failures)
        return GraderResult(1.0, True, f"All {self._count} entries hold for {len(calls)} tool calls", details)

    @property
    def _count(self) -> int:
        return len(self.required) + len(self.disallowed) + len(self.sequence) + len(self.parallel)

    def _failures(self, calls: list[Call]) -> Iterator[FailedCheck]:
        last = calls[-1] if calls else None
        seen = names_used([it.name for it in calls])
        for index, tool in enumerate(entries(self.required, RequiredTool)):
            count = sum(tool.means(it, last) for it in calls)
            if count < tool.min_count:
                word = f"only {count} of {tool.min_count} calls" if count else "no call"
                yield FailedCheck(("required", index), f"{word}: {tool.said}", seen)
        for index, unwanted in enumerate(entries(self.disallowed, DisallowedTool)):
            hits = [it for it in calls if unwanted.means(it, last)]
            if hits:
                yield FailedCheck(
                    ("disallowed", index), f"called: {unwanted.said}", names_used([it.name for it in hits])
                )
        answered = [it for it in calls if it.answered]
        yield from self._broken_sequence(answered, seen)
        if self.parallel and not self._has_parallel(answered):
            yield FailedCheck(("parallel",), "no step has all of these calls", seen)

    def _has_parallel(self, calls: list[Call]) -> bool:
        """Whether the calls of some step serve all entries, each its own."""
        tools = entries(self.parallel, SequenceTool)
        steps = {it.step for it in calls}
        return any(_serves(tools, [it for it in calls if it.step == step]) for step in steps)

    def _broken_sequence(self, calls: list[Call], seen: str) -> Iterator[FailedCheck]:
        """The first entry that finds no call behind that of the entry before it."""
        at = 0
        for index, tool in enumerate(entries(self.sequence, SequenceTool)):
            found = next((it for it in range(at, len(calls)) if tool.means(calls[it], None)), None)
            if found is None:
                where = "no call" if index == 0 else "no call after those before it"
                yield FailedCheck(("sequence", index), f"{where}: {tool.said}", seen)
                return
            at = found + 1


def _serves(tools: list[SequenceTool], calls: list[Call]) -> bool:
    """Whether there is a call of its own for each entry."""
    if not tools:
        return True
    first, *others = tools
    return any(
        first.means(it, None) and _serves(others, [*calls[:index], *calls[index + 1 :]])
        for index, it in enumerate(calls)
    )


def _plain_name(entry: SequenceTool | str) -> str:
    """The name of an entry that asks for nothing else; empty for others."""
    if isinstance(entry, str):
        return entry
    return entry.name if set(entry.model_dump(exclude_defaults=True)) == {"name"} else ""
