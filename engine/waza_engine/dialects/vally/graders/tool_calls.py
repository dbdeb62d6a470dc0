r"""Checks which tools the agent called, and in which order.

## What it looks at
All tool calls of the trial with their arguments and results. JavaScript patterns may match anywhere in names, arguments
and results: `edit` also matches `str_replace_edit`. The names of MCP tools start with the name of their server.

## Score
1 if all conditions hold, otherwise 0. Each entry of `required` must match at least `min_count` calls, and no entry of
`disallowed` a call. The entries of `sequence` must match calls in this order, with other calls in between. The entries
of `parallel` must match calls of one step.

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
- A call without a result, for example from a stopped run, counts for `disallowed` only.
- An entry with a pattern for an argument does not match calls without this argument.
- A misspelt name in `disallowed` always passes.
- vally does not document `read_only`, `write_only` and `pattern` of an entry. If a verdict depends on them, the check
  cannot be decided: it counts as failed, with status `error`.
- Our reading of `parallel`: calls belong together if they have the same `turnId` (vally 0.11), or else the same step.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag

from waza_engine.dialects.vally.fields import as_list_or_empty
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
from waza_engine.graders.close_calls import CALLS, SeenCall, calls_seen, close_calls
from waza_engine.graders.drafts import common_tools
from waza_engine.graders.excerpts import names_used
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import foreign_keys
from waza_engine.rules.contradictory_checks import required_and_forbidden

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

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "expected": "required",
                "expect": "required",
                "forbidden": "disallowed",
                "rejected": "disallowed",
            }
        )
    )

    required: Annotated[list[_Required], BeforeValidator(as_list_or_empty)] = Field(
        default=[],
        description="Calls that must all happen.",
        examples=[["bash", {"name": "edit", "path": "\\.py$"}]],
    )
    disallowed: Annotated[list[_Disallowed], BeforeValidator(as_list_or_empty)] = Field(
        default=[],
        description="Calls that must not happen.",
        examples=[["web_fetch", {"name": "bash", "command": "rm -rf"}]],
    )
    sequence: Annotated[list[_Sequence], BeforeValidator(as_list_or_empty)] = Field(
        default=[],
        description="Calls that must happen in this order; other calls may come in between.",
        examples=[["view", "edit", "bash"]],
    )
    parallel: Annotated[list[_Sequence], BeforeValidator(as_list_or_empty)] = Field(
        default=[],
        description="Calls that must happen in one step, in any order: one agent message makes all of them.",
        examples=[["view", "grep"]],
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
        unwanted = [_plain_name(it) for it in self.disallowed]
        for option in ("required", "sequence", "parallel"):
            wanted = [_plain_name(it) for it in getattr(self, option)]
            for it in required_and_forbidden(option, wanted, "disallowed", unwanted):
                if unwanted[int(it.pointer[1])]:
                    yield it

    @property
    def checks_absence_only(self) -> bool:
        return not (self.required or self.sequence or self.parallel)

    def grade(self, context: GradingContext) -> GraderResult:
        calls = known_calls(context)
        try:
            failures = tuple(self._failures(calls))
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}")
        details = {"calls": [it.name for it in calls]}
        if failures:
            return GraderResult.failed("; ".join(it.message for it in failures), details, failures)
        if unknown := list(self._ungradable(calls)):
            return GraderResult.undecided(
                f"Cannot tell which calls match {'; '.join(unknown)}: vally does not document this condition",
                details,
            )
        return GraderResult(
            1.0, True, f"All {self._entry_count} entries match in {len(calls)} tool calls", details
        )

    @property
    def _entry_count(self) -> int:
        return len(self.required) + len(self.disallowed) + len(self.sequence) + len(self.parallel)

    def _failures(self, calls: list[Call]) -> Iterator[FailedCheck]:
        last = calls[-1] if calls else None
        seen = [SeenCall(it.name, it.arguments) for it in calls]
        for index, tool in enumerate(entries(self.required, RequiredTool)):
            count = sum(tool.matches(it, last) for it in calls)
            if count < tool.min_count:
                word = f"only {count} of {tool.min_count} calls" if count else "no call"
                found = _closest(tool, seen)
                yield FailedCheck(("required", index), f"{word}: {tool.summary}", found, place=CALLS)
        for index, unwanted in enumerate(entries(self.disallowed, DisallowedTool)):
            hits = [at for at, it in enumerate(calls) if unwanted.matches(it, last)]
            if hits and unwanted.is_gradable:
                found = calls_seen(seen, hits)
                yield FailedCheck(("disallowed", index), f"called: {unwanted.summary}", found, place=CALLS)
        answered = [it for it in calls if it.answered]
        yield from self._sequence_failure(answered, seen)
        if self.parallel and not self._has_parallel(answered):
            used = names_used([it.name for it in calls])
            yield FailedCheck(("parallel",), "no step has all of these calls", used, place=CALLS)

    def _ungradable(self, calls: list[Call]) -> Iterator[str]:
        """Yield the entries on whose unknown conditions the verdict depends, if no entry has failed."""
        last = calls[-1] if calls else None
        for option, kind in _ENTRIES.items():
            for tool in entries(getattr(self, option), kind):
                is_open = option != "disallowed" or any(tool.matches(it, last) for it in calls)
                if is_open and not tool.is_gradable:
                    yield tool.summary

    def _has_parallel(self, calls: list[Call]) -> bool:
        """Whether one step has a separate matching call for each entry."""
        tools = entries(self.parallel, SequenceTool)
        batches = {it.batch for it in calls}
        return any(_match_separately(tools, [it for it in calls if it.batch == batch]) for batch in batches)

    def _sequence_failure(self, calls: list[Call], seen: list[SeenCall]) -> Iterator[FailedCheck]:
        """Yield a failure for the first entry without a call after that of the entry before it."""
        start = 0
        for index, tool in enumerate(entries(self.sequence, SequenceTool)):
            found = next((it for it in range(start, len(calls)) if tool.matches(calls[it], None)), None)
            if found is None:
                where = "no call" if index == 0 else "no call after the previous entries"
                found_text = _closest(tool, seen)
                yield FailedCheck(("sequence", index), f"{where}: {tool.summary}", found_text, place=CALLS)
                return
            start = found + 1


def _closest(tool: SequenceTool, calls: list[SeenCall]) -> str:
    """Return the calls that come closest to the entry: those whose name is right, then similar names."""
    named = [at for at, it in enumerate(calls) if js_matches(tool.name, it.name)]
    words = " ".join(pattern for (option, *_), pattern in tool.patterns() if option != "name")
    return close_calls(calls, tool.name, words, named)


def _match_separately(tools: list[SequenceTool], calls: list[Call]) -> bool:
    """Whether each entry matches a separate call."""
    if not tools:
        return True
    first, *others = tools
    return any(
        first.matches(it, None) and _match_separately(others, [*calls[:index], *calls[index + 1 :]])
        for index, it in enumerate(calls)
    )


def _plain_name(entry: SequenceTool | str) -> str:
    """Return the name of an entry that has only a name, or an empty string."""
    if isinstance(entry, str):
        return entry
    return entry.name if set(entry.model_dump(exclude_defaults=True)) == {"name"} else ""
