"""vally's graders as waza's.

Options are read and written through the graders' own models. See docs/reference/vally.md, section 13.

vally's grader of tool calls as waza's, of which each says a part of it (docs/reference/vally.md, section 13).
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from waza_engine.convert.conversion import CannotSayError
from waza_engine.convert.patterns import behind_any_case, is_found_in_nothing, said_in_re2
from waza_engine.dialects.vally.fields import milliseconds
from waza_engine.dialects.vally.globs import refusal
from waza_engine.dialects.vally.graders._shared.files import FileContains, FileExists, FileMatches
from waza_engine.dialects.vally.graders._shared.tools import RequiredTool
from waza_engine.dialects.vally.graders.completed import CompletedGrader
from waza_engine.dialects.vally.graders.error_count import ErrorCountGrader
from waza_engine.dialects.vally.graders.exit_success import ExitSuccessGrader
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
from waza_engine.dialects.vally.graders.run_command import RunCommandGrader
from waza_engine.dialects.vally.graders.skill_invocation import SkillInvocationGrader as VallySkillInvocation
from waza_engine.dialects.vally.graders.token_budget import TokenBudgetGrader
from waza_engine.dialects.vally.graders.tool_call_count import ToolCallCountGrader
from waza_engine.dialects.vally.graders.tool_calls import ToolCallsGrader as VallyToolCalls
from waza_engine.dialects.vally.graders.wall_time import WallTimeGrader
from waza_engine.dialects.waza.graders.action_sequence import ActionSequenceGrader
from waza_engine.dialects.waza.graders.behavior import BehaviorGrader
from waza_engine.dialects.waza.graders.code import CodeGrader
from waza_engine.dialects.waza.graders.file import ContentPatterns, FileGrader
from waza_engine.dialects.waza.graders.program import ProgramGrader
from waza_engine.dialects.waza.graders.prompt import PromptGrader
from waza_engine.dialects.waza.graders.skill_invocation import SkillInvocationGrader
from waza_engine.dialects.waza.graders.text import TextGrader
from waza_engine.dialects.waza.graders.tool_calls import ToolCallsGrader
from waza_engine.dialects.waza.graders.tool_constraint import ToolConstraintGrader
from waza_engine.graders.base import Grader
from waza_engine.lib.go.paths import cleaned

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


def as_waza(grader: Grader, wanted: Collection[str] = ()) -> list[Grader]:
    """The waza graders that together pass when this one does. `wanted` are files that have to be there anyway.

    Raises:
        CannotSayError: there are none.

    """
    say = _WAYS.get(type(grader))
    if say is None:
        raise CannotSayError(f"waza has no grader like '{grader.type_name}'")
    if isinstance(grader, FileContains | FileMatches) and grader.negated and _path(grader.path) not in wanted:
        raise CannotSayError(
            "it passes when the file is missing, in waza it would fail; it could be said if another grader asked for the file"
        )
    return list(say(grader))


def wanted_file(grader: Grader) -> str | None:
    """The file that must be there for this grader to pass; None when there is no such file."""
    if not isinstance(grader, FileExists) or grader.negated:
        return None
    try:
        return _path(grader.path)
    except CannotSayError:
        return None


def _contains(it: Any) -> Iterator[Grader]:
    text = it.substring if it.substring is not None else it.value
    match bool(it.negated), bool(it.case_sensitive):
        case False, False:
            yield TextGrader(contains=[text])
        case False, True:
            yield TextGrader(contains_cs=[text])
        case True, False:
            yield TextGrader(not_contains=[text])
        case _:
            yield TextGrader(not_contains_cs=[text])


def _matches(it: Any) -> Iterator[Grader]:
    pattern = said_in_re2(it.pattern)
    yield TextGrader(regex_not_match=[pattern]) if it.negated else TextGrader(regex_match=[pattern])


def _path(glob: str) -> str:
    """The path of a glob that means one path only."""
    bare = re.sub(r"\\(.)", "", glob)
    if set(bare) & set("*?{}[]()!"):
        raise CannotSayError(f"waza knows names of files, no patterns such as {glob}")
    if refusal(glob):
        raise CannotSayError(f"{glob} is no path below the workspace")
    path = cleaned(re.sub(r"\\(.)", r"\1", glob))
    if path == ".":
        raise CannotSayError("waza looks for files by their names, not for any at all")
    return path


def _exists(it: Any) -> Iterator[Grader]:
    # A glob that ends like this finds the file itself, or anything in a folder of that name. `/**` is a path of the machine.
    path = _path(it.path.removesuffix("/**") or it.path)
    yield FileGrader(must_not_exist=[path]) if it.negated else FileGrader(must_exist=[path])


def _file_matches(it: Any) -> Iterator[Grader]:
    yield _content(it, said_in_re2(it.pattern))


def _file_contains(it: Any) -> Iterator[Grader]:
    yield _content(it, re.sub(r"([\\^$.*+?()[\]{}|])", r"\\\1", it.value))


def _content(it: Any, pattern: str) -> Grader:
    path = _path(it.path)
    entry = (
        ContentPatterns(path=path, must_not_match=[pattern])
        if it.negated
        else ContentPatterns(path=path, must_match=[pattern])
    )
    return FileGrader(content_patterns=[entry])


def _completed(_it: CompletedGrader) -> Iterator[Grader]:
    # Names that stand outside are not known inside of a comprehension; 'errors' are also messages that speak of an error.
    ended = f"{_events('assistant.turn_end')} or not {_events('assistant.turn_start')}"
    yield CodeGrader(assertions=["len(output.strip()) > 0", f"len({_events('session.error')}) == 0", ended])


def _events(kind: str) -> str:
    return f"[e for e in transcript if e.get('type') == '{kind}']"


def _exit_success(_it: ExitSuccessGrader) -> Iterator[Grader]:
    yield CodeGrader(assertions=["len(output.strip()) > 0"])


def _error_count(it: ErrorCountGrader) -> Iterator[Grader]:
    yield CodeGrader(assertions=[f"len({_events('session.error')}) <= {it.max}"])


def _token_budget(it: TokenBudgetGrader) -> Iterator[Grader]:
    if not it.max:
        raise CannotSayError("a budget of 0 is no budget in waza")
    yield BehaviorGrader(max_tokens=it.max)


def _tool_call_count(it: ToolCallCountGrader) -> Iterator[Grader]:
    if it.tools:
        raise CannotSayError("waza counts the calls of all tools")
    yield ToolCallsGrader(max_calls=it.max)


def _wall_time(it: WallTimeGrader) -> Iterator[Grader]:
    limit = milliseconds(it.max)
    if not limit:
        raise CannotSayError("a limit of 0 is no limit in waza")
    yield BehaviorGrader(max_duration_ms=limit)


def _skill_invocation(it: VallySkillInvocation) -> Iterator[Grader]:
    given: dict[str, Any] = {}
    if it.required:
        given |= {
            "required_skills": list(dict.fromkeys(it.required)),
            "mode": "any_order",
            "allow_extra": True,
        }
    if it.disallowed:
        given["forbidden_skills"] = it.disallowed
    yield SkillInvocationGrader(**given)


def _run_command(it: RunCommandGrader) -> Iterator[Grader]:
    looks_at = (it.stdout_contains, it.stderr_contains, it.stdout_matches, it.stdout_not_matches)
    if any(looks_at) or it.expected_exit_code or it.env or it.args is not None:
        raise CannotSayError("waza looks at the exit status of a program only, and starts no shell")
    where = f'"$WAZA_WORKSPACE_DIR/{it.sub_path}"' if it.sub_path else '"$WAZA_WORKSPACE_DIR"'
    yield ProgramGrader(
        command="sh", args=["-c", f"cd {where} && {it.command}"], timeout=_seconds(it.timeout)
    )


def _program(it: VallyProgram) -> Iterator[Grader]:
    if it.shell or it.env or it.sub_path:
        raise CannotSayError("waza starts programs without a shell, from where the run is started")
    given: dict[str, Any] = {"command": it.program}
    if it.args:
        given["args"] = it.args
    if "timeout" in it.model_fields_set:
        given["timeout"] = _seconds(it.timeout)
    yield ProgramGrader(**given)


def _seconds(duration: str) -> int:
    return max(1, -(-(milliseconds(duration) or 0) // 1000))


def _prompt(it: VallyPrompt) -> Iterator[Grader]:
    if not it.prompt or it.scoring != "binary" or it.model_fields_set - {"prompt", "model", "scoring"}:
        raise CannotSayError(
            "waza's judges say pass or fail to a prompt; scales, thresholds and evidence are vally's"
        )
    yield PromptGrader(prompt=it.prompt, **({"model": it.model} if it.model else {}))


_WAYS: dict[type[Grader], Callable[[Any], Iterator[Grader]]] = {
    OutputContainsGrader: _contains,
    OutputNotContainsGrader: _contains,
    OutputMatchesGrader: _matches,
    OutputNotMatchesGrader: _matches,
    FileExistsGrader: _exists,
    FileNotExistsGrader: _exists,
    FileContainsGrader: _file_contains,
    FileNotContainsGrader: _file_contains,
    FileMatchesGrader: _file_matches,
    FileNotMatchesGrader: _file_matches,
    CompletedGrader: _completed,
    ExitSuccessGrader: _exit_success,
    ErrorCountGrader: _error_count,
    TokenBudgetGrader: _token_budget,
    ToolCallCountGrader: _tool_call_count,
    WallTimeGrader: _wall_time,
    VallyToolCalls: calls_as_waza,
    VallySkillInvocation: _skill_invocation,
    RunCommandGrader: _run_command,
    VallyProgram: _program,
    VallyPrompt: _prompt,
}

CHANGED = {
    ProgramGrader: "waza starts it where the run is started and hands over the output on standard input",
    PromptGrader: "waza's judge says pass or fail where vally's gives a score",
}
"""What is not quite the same, by the type that is written."""
