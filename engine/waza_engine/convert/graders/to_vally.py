"""Convert waza's graders to vally's (docs/reference/vally.md, section 14).

Options are read and written through the graders' own models.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.convert.graders.patterns import in_any_case, in_javascript, is_found_in_nothing
from waza_engine.dialects.vally.graders.file_contains import FileContainsGrader
from waza_engine.dialects.vally.graders.file_exists import FileExistsGrader
from waza_engine.dialects.vally.graders.file_matches import FileMatchesGrader
from waza_engine.dialects.vally.graders.file_not_contains import FileNotContainsGrader
from waza_engine.dialects.vally.graders.file_not_exists import FileNotExistsGrader
from waza_engine.dialects.vally.graders.file_not_matches import FileNotMatchesGrader
from waza_engine.dialects.vally.graders.output_contains import OutputContainsGrader
from waza_engine.dialects.vally.graders.output_matches import OutputMatchesGrader
from waza_engine.dialects.vally.graders.output_not_contains import OutputNotContainsGrader
from waza_engine.dialects.vally.graders.output_not_matches import OutputNotMatchesGrader
from waza_engine.dialects.vally.graders.program import ProgramGrader as VallyProgram
from waza_engine.dialects.vally.graders.prompt import PromptGrader as VallyPrompt
from waza_engine.dialects.vally.graders.skill_invocation import SkillInvocationGrader as VallySkillInvocation
from waza_engine.dialects.vally.graders.token_budget import TokenBudgetGrader
from waza_engine.dialects.vally.graders.tool_call_count import ToolCallCountGrader
from waza_engine.dialects.vally.graders.tool_calls import ToolCallsGrader as VallyToolCalls
from waza_engine.dialects.vally.graders.wall_time import WallTimeGrader
from waza_engine.dialects.waza.graders.action_sequence import ActionSequenceGrader
from waza_engine.dialects.waza.graders.behavior import BehaviorGrader
from waza_engine.dialects.waza.graders.diff import DiffGrader, fragment_text
from waza_engine.dialects.waza.graders.file import FileGrader
from waza_engine.dialects.waza.graders.program import ProgramGrader
from waza_engine.dialects.waza.graders.prompt import PromptGrader
from waza_engine.dialects.waza.graders.skill_invocation import SkillInvocationGrader
from waza_engine.dialects.waza.graders.text import TextGrader
from waza_engine.dialects.waza.graders.tool_calls import ToolCallsGrader
from waza_engine.dialects.waza.graders.tool_constraint import ToolConstraintGrader
from waza_engine.dialects.waza.tools import ToolSpec
from waza_engine.graders.base import Grader
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.pointer import Pointer


class Part(NamedTuple):
    """A grader converted from another one or a part of it; `pointer` is that part in the config."""

    grader: Grader
    pointer: Pointer = ()


def as_vally(grader: Grader) -> list[Part]:
    """Return the vally graders that together pass when this one does.

    Raises:
        NotConvertibleError: there are none.

    """
    say = _CONVERTERS.get(type(grader))
    if say is None:
        raise NotConvertibleError(f"vally has no equivalent of the grader '{grader.type_name}'")
    made = [it if isinstance(it, Part) else Part(it) for it in say(grader)]
    if not made:
        raise NotConvertibleError("nothing in it can fail")
    return made


def _pattern(pattern: str) -> str:
    made = in_javascript(pattern)
    if made is None:
        raise NotConvertibleError(f"the pattern {pattern} has no equivalent in JavaScript")
    return made


def _text(grader: TextGrader) -> Iterator[Part]:
    ways: tuple[tuple[str, Callable[[str], Grader]], ...] = (
        ("contains", lambda text: OutputContainsGrader(substring=text)),
        ("contains_cs", lambda text: OutputContainsGrader(substring=text, case_sensitive=True)),
        ("not_contains", lambda text: OutputNotContainsGrader(substring=text)),
        ("not_contains_cs", lambda text: OutputNotContainsGrader(substring=text, case_sensitive=True)),
        ("regex_match", lambda text: OutputMatchesGrader(pattern=_pattern(text))),
        ("regex_not_match", lambda text: OutputNotMatchesGrader(pattern=_pattern(text))),
    )
    for option, made in ways:
        for index, text in enumerate(getattr(grader, option)):
            yield Part(made(text), (option, index))


def _glob(path: str) -> str:
    """A glob that matches only this path."""
    if path.startswith("/") or cleaned(path).split("/")[0] in {".", ".."}:
        raise NotConvertibleError(f"'{path}' is not inside the workspace")
    glob = re.sub(r"([*?{}\[\]()!\\])", r"\\\1", cleaned(path))
    # With a backslash at the start it would be a Windows path.
    return f"./{glob}" if glob.startswith("\\") else glob


def _place(path: str) -> str:
    """A glob for a file, or for a folder's content if the name has no extension."""
    return _glob(path) if PurePosixPath(path).suffix else f"{_glob(path)}/**"


def _file(grader: FileGrader) -> Iterator[Grader]:
    yield from (FileExistsGrader(path=_place(path)) for path in grader.must_exist)
    yield from (FileNotExistsGrader(path=_place(path)) for path in grader.must_not_exist)
    for entry in grader.content_patterns:
        path = _glob(entry.path)
        if not entry.must_match:
            yield FileExistsGrader(path=path)
        yield from (_in_file(path, text) for text in entry.must_match)
        yield from (FileNotMatchesGrader(path=path, pattern=_pattern(text)) for text in entry.must_not_match)


def _in_file(path: str, pattern: str) -> Grader:
    """The grader of a pattern; one without special characters is a text."""
    text = re.sub(r"\\([\\^$.*+?()[\]{}|])", r"\1", pattern)
    if text and re.sub(r"([\\^$.*+?()[\]{}|])", r"\\\1", text) == pattern:
        return FileContainsGrader(path=path, value=text)
    return FileMatchesGrader(path=path, pattern=_pattern(pattern))


def _diff(grader: DiffGrader) -> Iterator[Grader]:
    for entry in grader.expected_files:
        if entry.snapshot:
            raise NotConvertibleError("vally compares no files with snapshots")
        path = _glob(entry.path)
        yield FileExistsGrader(path=path)
        for fragment in filter(fragment_text, entry.contains):
            kind = FileNotContainsGrader if fragment.startswith("-") else FileContainsGrader
            yield kind(path=path, value=fragment_text(fragment))


def exactly(name: str) -> str:
    """A pattern that matches only this name."""
    quoted = re.sub(r"([^\w-])", r"\\\1", name)
    return f"^{quoted}$"


def _tools(required: list[str], forbidden: list[str]) -> Iterator[Grader]:
    given: dict[str, Any] = {}
    if required:
        given["required"] = [exactly(it) for it in required]
    if forbidden:
        given["disallowed"] = [exactly(it) for it in forbidden]
    if given:
        yield VallyToolCalls(**given)


def _behavior(grader: BehaviorGrader) -> Iterator[Grader]:
    if grader.max_tool_calls > 0:
        yield ToolCallCountGrader(max=grader.max_tool_calls)
    if grader.max_tokens > 0:
        yield TokenBudgetGrader(max=grader.max_tokens)
    if grader.max_duration_ms > 0:
        whole = grader.max_duration_ms % 1000 == 0
        yield WallTimeGrader(
            max=f"{grader.max_duration_ms // 1000}s" if whole else f"{grader.max_duration_ms}ms"
        )
    yield from _tools(grader.required_tools, grader.forbidden_tools)


def _tool_calls(grader: ToolCallsGrader) -> Iterator[Grader]:
    if grader.expect:
        raise NotConvertibleError("vally has no matchers for arguments")
    if grader.min_calls:
        yield VallyToolCalls(required=[{"name": ".", "min_count": grader.min_calls}])
    if grader.max_calls is not None:
        yield ToolCallCountGrader(max=grader.max_calls)
    yield from _tools(grader.required_tools, grader.forbidden_tools)


def _tool(spec: ToolSpec) -> dict[str, Any]:
    if spec.args:
        raise NotConvertibleError("vally has no matchers for arguments")
    made: dict[str, Any] = {"name": _pattern(in_any_case(spec.name))}
    if spec.command_pattern:
        made["command"] = _argument(spec.command_pattern)
    if spec.path_pattern:
        made["path"] = _argument(spec.path_pattern)
    if spec.skill_pattern:
        made["args"] = {"skill": _argument(spec.skill_pattern)}
    return made


def _argument(pattern: str) -> str:
    if is_found_in_nothing(pattern):
        raise NotConvertibleError(
            f"the pattern {pattern} matches calls without this argument, which vally never does"
        )
    return _pattern(in_any_case(pattern))


def _tool_constraint(grader: ToolConstraintGrader) -> Iterator[Grader]:
    if grader.allow_only is not None:
        raise NotConvertibleError("vally cannot forbid all tools but some")
    lists = {"required": grader.expect_tools, "disallowed": grader.reject_tools}
    yield VallyToolCalls(
        **{option: [_tool(spec) for spec in specs] for option, specs in lists.items() if specs}
    )


def _action_sequence(grader: ActionSequenceGrader) -> Iterator[Grader]:
    match grader.matching_mode:
        case "in_order_match":
            yield VallyToolCalls(sequence=[exactly(name) for name in grader.expected_actions])
        case "any_order_match":
            counts = Counter(exactly(name) for name in grader.expected_actions)
            yield VallyToolCalls(
                required=[
                    name if count == 1 else {"name": name, "min_count": count}
                    for name, count in counts.items()
                ]
            )
        case mode:
            raise NotConvertibleError(f"vally has no equivalent of 'matching_mode: {mode}'")


def _skill_invocation(grader: SkillInvocationGrader) -> Iterator[Grader]:
    if grader.required_skills and (grader.mode != "any_order" or grader.allow_extra is False):
        raise NotConvertibleError("vally does not look at the order of skills, nor at additional ones")
    if len(set(grader.required_skills)) < len(grader.required_skills):
        raise NotConvertibleError("vally does not count how often a skill is invoked")
    if both := set(grader.required_skills) & set(grader.forbidden_skills):
        raise NotConvertibleError(
            f"'{min(both)}' is required and forbidden; vally refuses graders that can never pass"
        )
    lists = {"required": grader.required_skills, "disallowed": grader.forbidden_skills}
    yield VallySkillInvocation(**{option: names for option, names in lists.items() if names})


def _program(grader: ProgramGrader) -> Iterator[Grader]:
    given: dict[str, Any] = {"program": grader.command}
    if grader.args:
        given["args"] = grader.args
    if grader.timeout > 0:
        given["timeout"] = f"{grader.timeout}s"
    yield VallyProgram(**given)


def _prompt(grader: PromptGrader) -> Iterator[Grader]:
    if (
        grader.rubric
        or grader.continue_session
        or grader.mode not in {"", "independent"}
        or grader.reasoning_effort
    ):
        raise NotConvertibleError("vally's judges know no named rubrics, sessions or baselines")
    yield VallyPrompt(
        prompt=grader.prompt, scoring="binary", **({"model": grader.model} if grader.model else {})
    )


_CONVERTERS: dict[type[Grader], Callable[[Any], Iterator[Grader | Part]]] = {
    TextGrader: _text,
    FileGrader: _file,
    DiffGrader: _diff,
    BehaviorGrader: _behavior,
    ToolCallsGrader: _tool_calls,
    ToolConstraintGrader: _tool_constraint,
    ActionSequenceGrader: _action_sequence,
    SkillInvocationGrader: _skill_invocation,
    ProgramGrader: _program,
    PromptGrader: _prompt,
}

DIFFERENCES = {
    VallyProgram: "vally starts the program in the workspace and passes a JSON file instead of the output on standard input",
    VallyPrompt: "vally's judge gives a score, while waza's passes or fails",
}
"""Differences in meaning, by the resulting grader type."""
