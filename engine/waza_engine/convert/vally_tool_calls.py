"""vally's grader of tool calls as waza's, of which each says a part of it (docs/reference/vally.md, section 13)."""

import re
from collections.abc import Iterator
from typing import Any

from waza_engine.convert.conversion import CannotSayError
from waza_engine.convert.patterns import behind_any_case, is_found_in_nothing, said_in_re2
from waza_engine.graders.base import Grader
from waza_engine.graders.vally.tool_calls import ToolCallsGrader as VallyToolCalls
from waza_engine.graders.waza.action_sequence import ActionSequenceGrader
from waza_engine.graders.waza.tool_calls import ToolCallsGrader
from waza_engine.graders.waza.tool_constraint import ToolConstraintGrader
from waza_engine.vally.tool_match import RequiredTool

_EXACT = re.compile(r"\^((?:[\w-]|\\[^\w\n])+)\$")
_MOST_REPEATS = 100
"""How long a list of one name gets at most; nobody would read a longer one."""


def calls_as_waza(it: VallyToolCalls) -> Iterator[Grader]:
    """The graders that together pass when the calls are as they should be.

    Raises:
        CannotSayError: there are none.

    """
    if it.parallel:
        raise CannotSayError("waza does not know which calls one message of the agent made")
    if it.sequence:
        names = _exact_names(it.sequence)
        if names is None:
            raise CannotSayError("waza's sequences are of names, not of patterns")
        yield ActionSequenceGrader(matching_mode="in_order_match", expected_actions=names)
    if repeated := _repeated_names(it.required):
        yield ActionSequenceGrader(matching_mode="any_order_match", expected_actions=repeated)
        it = it.model_copy(update={"required": []})
    required, disallowed = _exact_names(it.required), _exact_names(it.disallowed)
    if required is not None and disallowed is not None:
        lists = {"required_tools": required, "forbidden_tools": disallowed}
        if given := {option: names for option, names in lists.items() if names}:
            yield ToolCallsGrader(**given)
        return
    match it.required, it.disallowed:
        case [RequiredTool(name=".", model_fields_set=keys) as whole], [] if keys == {"name", "min_count"}:
            yield ToolCallsGrader(min_calls=whole.min_count)
            return
    specs: dict[str, list[Any]] = {"expect_tools": [*it.required], "reject_tools": [*it.disallowed]}
    yield ToolConstraintGrader(
        **{option: [_spec(tool) for tool in tools] for option, tools in specs.items() if tools}
    )


def _exact_names(entries: list[Any]) -> list[str] | None:
    """The tools' names, when every entry is a pattern for one name and nothing else."""
    found = [_EXACT.fullmatch(it) if isinstance(it, str) else None for it in entries]
    return [re.sub(r"\\(.)", r"\1", it[1]) for it in found if it] if all(found) else None


def _repeated_names(entries: list[Any]) -> list[str] | None:
    """The tools' names as often as they are asked for, when each is, and one of them more than once."""
    counts = [it.min_count if isinstance(it, RequiredTool) else 1 for it in entries]
    plain = [it.name if isinstance(it, RequiredTool) and _only_counts(it) else it for it in entries]
    names = _exact_names(plain)
    if names is None or max(counts, default=1) == 1 or not 0 < min(counts) <= max(counts) <= _MOST_REPEATS:
        return None
    return [name for name, count in zip(names, counts, strict=True) for _ in range(count)]


def _only_counts(tool: RequiredTool) -> bool:
    return tool.model_fields_set <= {"name", "min_count"}


def _spec(tool: Any) -> dict[str, str]:
    if isinstance(tool, str):
        return {"tool": _named(tool)}
    given = tool.model_dump(exclude_defaults=True)
    args = given.pop("args", {})
    if set(given) - {"name", "command", "path"} or set(args) - {"skill"}:
        raise CannotSayError(
            "waza looks at the command, the path and the skill of a call, and at nothing else"
        )
    made = {"tool": _named(given["name"])}
    patterns = {"command": given.get("command"), "path": given.get("path"), "skill": args.get("skill")}
    for argument, pattern in patterns.items():
        if pattern:
            said = behind_any_case(said_in_re2(pattern))
            if is_found_in_nothing(said):
                raise CannotSayError(f"the pattern {pattern} would fit calls without this argument in waza")
            made[f"{argument}_pattern"] = said
    return made


def _named(pattern: str) -> str:
    """The pattern of a tool's name. Upper and lower case count in vally."""
    return behind_any_case(said_in_re2(pattern))
