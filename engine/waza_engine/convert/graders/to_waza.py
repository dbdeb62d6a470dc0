"""Convert vally's graders to waza's (docs/reference/vally.md, section 13).

Options are read and written through the graders' own models. One `tool-calls` grader may become several of waza's.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.convert.graders.patterns import behind_any_case, is_found_in_nothing, require_re2
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
from waza_engine.dialects.vally.graders.metric_threshold import MetricThresholdGrader
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
from waza_engine.dialects.vally.graders.transcript_contains import TranscriptContainsGrader
from waza_engine.dialects.vally.graders.transcript_not_contains import TranscriptNotContainsGrader
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
"""The longest list of a repeated tool name; a longer one would be unreadable."""


def calls_as_waza(grader: VallyToolCalls) -> Iterator[Grader]:
    """Return the graders that together pass when the calls match.

    Raises:
        NotConvertibleError: there are none.

    """
    if grader.parallel:
        raise NotConvertibleError("waza does not know which calls came from the same message")
    if grader.sequence:
        names = _exact_names(grader.sequence)
        if names is None:
            raise NotConvertibleError("waza's sequences are of names, not of patterns")
        yield ActionSequenceGrader(matching_mode="in_order_match", expected_actions=names)
    if repeated := _repeated_names(grader.required):
        yield ActionSequenceGrader(matching_mode="any_order_match", expected_actions=repeated)
        grader = grader.model_copy(update={"required": []})
    required, disallowed = _exact_names(grader.required), _exact_names(grader.disallowed)
    if required is not None and disallowed is not None:
        lists = {"required_tools": required, "forbidden_tools": disallowed}
        if given := {option: names for option, names in lists.items() if names}:
            yield ToolCallsGrader(**given)
        return
    match grader.required, grader.disallowed:
        case [RequiredTool(name=".", model_fields_set=keys) as whole], [] if keys == {"name", "min_count"}:
            yield ToolCallsGrader(min_calls=whole.min_count)
            return
    specs: dict[str, list[Any]] = {"expect_tools": [*grader.required], "reject_tools": [*grader.disallowed]}
    yield ToolConstraintGrader(
        **{option: [_spec(tool) for tool in tools] for option, tools in specs.items() if tools}
    )


def _exact_names(entries: list[Any]) -> list[str] | None:
    """The tools' names, if every entry only has a pattern for one name."""
    found = [_EXACT.fullmatch(it) if isinstance(it, str) else None for it in entries]
    return [re.sub(r"\\(.)", r"\1", it[1]) for it in found if it] if all(found) else None


def _repeated_names(entries: list[Any]) -> list[str] | None:
    """The tools' names, repeated by their minimum counts, if all are required and one more than once."""
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
        raise NotConvertibleError(
            "waza looks at the command, the path and the skill of a call, and at nothing else"
        )
    made = {"tool": _named(given["name"])}
    patterns = {"command": given.get("command"), "path": given.get("path"), "skill": args.get("skill")}
    for argument, pattern in patterns.items():
        if pattern:
            said = behind_any_case(require_re2(pattern))
            if is_found_in_nothing(said):
                raise NotConvertibleError(
                    f"in waza the pattern {pattern} would also match calls without this argument"
                )
            made[f"{argument}_pattern"] = said
    return made


def _named(pattern: str) -> str:
    """The pattern of a tool's name, which is case-sensitive in vally."""
    return behind_any_case(require_re2(pattern))


def as_waza(grader: Grader, wanted: Collection[str] = ()) -> list[Grader]:
    """Return the waza graders that together pass when this one does. `required_files` must exist anyway.

    Raises:
        NotConvertibleError: there are none.

    """
    say = _CONVERTERS.get(type(grader))
    if say is None:
        raise NotConvertibleError(f"waza has no equivalent of the grader '{grader.type_name}'")
    if isinstance(grader, FileContains | FileMatches) and grader.negated and _path(grader.path) not in wanted:
        raise NotConvertibleError(
            "it passes when the file is missing, in waza it would fail; add another grader that requires the file"
        )
    return list(say(grader))


def required_file(grader: Grader) -> str | None:
    """Return the file that must exist for this grader to pass; None without one."""
    if not isinstance(grader, FileExists) or grader.negated:
        return None
    try:
        return _path(grader.path)
    except NotConvertibleError:
        return None


def _contains(grader: Any) -> Iterator[Grader]:
    text = grader.substring if grader.substring is not None else grader.value
    match bool(grader.negated), bool(grader.case_sensitive):
        case False, False:
            yield TextGrader(contains=[text])
        case False, True:
            yield TextGrader(contains_cs=[text])
        case True, False:
            yield TextGrader(not_contains=[text])
        case _:
            yield TextGrader(not_contains_cs=[text])


def _matches(grader: Any) -> Iterator[Grader]:
    pattern = require_re2(grader.pattern)
    yield TextGrader(regex_not_match=[pattern]) if grader.negated else TextGrader(regex_match=[pattern])


def _path(glob: str) -> str:
    """The path of a glob without wildcards."""
    bare = re.sub(r"\\(.)", "", glob)
    if set(bare) & set("*?{}[]()!"):
        raise NotConvertibleError(f"waza has only file names, not patterns such as {glob}")
    if refusal(glob):
        raise NotConvertibleError(f"{glob} is not inside the workspace")
    path = cleaned(re.sub(r"\\(.)", r"\1", glob))
    if path == ".":
        raise NotConvertibleError("waza looks for files by their names, not for any at all")
    return path


def _exists(grader: Any) -> Iterator[Grader]:
    # A glob with this ending matches the file itself, or anything in a folder of that name. `/**` is an absolute path.
    path = _path(grader.path.removesuffix("/**") or grader.path)
    yield FileGrader(must_not_exist=[path]) if grader.negated else FileGrader(must_exist=[path])


def _file_matches(grader: Any) -> Iterator[Grader]:
    yield _content(grader, require_re2(grader.pattern))


def _file_contains(grader: Any) -> Iterator[Grader]:
    yield _content(grader, re.sub(r"([\\^$.*+?()[\]{}|])", r"\\\1", grader.value))


def _content(grader: Any, pattern: str) -> Grader:
    path = _path(grader.path)
    entry = (
        ContentPatterns(path=path, must_not_match=[pattern])
        if grader.negated
        else ContentPatterns(path=path, must_match=[pattern])
    )
    return FileGrader(content_patterns=[entry])


def _completed(_it: CompletedGrader) -> Iterator[Grader]:
    # Outer names are unknown inside a comprehension, and 'errors' includes messages that only mention an error.
    ended = f"{_events('assistant.turn_end')} or not {_events('assistant.turn_start')}"
    yield CodeGrader(assertions=["len(output.strip()) > 0", f"len({_events('session.error')}) == 0", ended])


def _events(kind: str) -> str:
    return f"[e for e in transcript if e.get('type') == '{kind}']"


def _exit_success(_it: ExitSuccessGrader) -> Iterator[Grader]:
    yield CodeGrader(assertions=["len(output.strip()) > 0"])


def _error_count(grader: ErrorCountGrader) -> Iterator[Grader]:
    yield CodeGrader(assertions=[f"len({_events('session.error')}) <= {grader.max}"])


def _transcript_contains(grader: TranscriptContainsGrader | TranscriptNotContainsGrader) -> Iterator[Grader]:
    text = grader.substring if grader.substring is not None else grader.value
    if not text or not text.strip():
        raise NotConvertibleError("a blank text is not converted")
    exact = bool(grader.case_sensitive)
    content = "e.get('content', '')" + ("" if exact else ".lower()")
    messages = "for e in transcript if e.get('type') == 'assistant.message'"
    wanted = repr(text if exact else text.lower())
    found = f"any({wanted} in {content} {messages})"
    if not grader.negated:
        yield CodeGrader(assertions=[found])
        return
    yield CodeGrader(assertions=[f"any(e.get('content', '').strip() {messages})", f"not {found}"])


def _metric_threshold(grader: MetricThresholdGrader) -> Iterator[Grader]:
    match grader.metric:
        case "error-count" if isinstance(grader.max, int):
            yield from _error_count(ErrorCountGrader(max=grader.max))
        case "token-budget" if isinstance(grader.max, int):
            yield from _token_budget(TokenBudgetGrader(max=grader.max))
        case "tool-call-count" if isinstance(grader.max, int):
            yield from _tool_call_count(ToolCallCountGrader(max=grader.max))
        case "wall-time":
            yield from _wall_time(WallTimeGrader(max=str(grader.max)))
        case _:
            raise NotConvertibleError(f"waza does not limit '{grader.metric}'")


def _token_budget(grader: TokenBudgetGrader) -> Iterator[Grader]:
    if not grader.max:
        raise NotConvertibleError("a budget of 0 is no budget in waza")
    yield BehaviorGrader(max_tokens=grader.max)


def _tool_call_count(grader: ToolCallCountGrader) -> Iterator[Grader]:
    if grader.tools:
        raise NotConvertibleError("waza counts the calls of all tools")
    yield ToolCallsGrader(max_calls=grader.max)


def _wall_time(grader: WallTimeGrader) -> Iterator[Grader]:
    limit = milliseconds(grader.max)
    if not limit:
        raise NotConvertibleError("a limit of 0 is no limit in waza")
    yield BehaviorGrader(max_duration_ms=limit)


def _skill_invocation(grader: VallySkillInvocation) -> Iterator[Grader]:
    given: dict[str, Any] = {}
    if grader.required:
        given |= {
            "required_skills": list(dict.fromkeys(grader.required)),
            "mode": "any_order",
            "allow_extra": True,
        }
    if grader.disallowed:
        given["forbidden_skills"] = grader.disallowed
    yield SkillInvocationGrader(**given)


def _run_command(grader: RunCommandGrader) -> Iterator[Grader]:
    looks_at = (
        grader.stdout_contains,
        grader.stderr_contains,
        grader.stdout_matches,
        grader.stdout_not_matches,
    )
    if any(looks_at) or grader.expected_exit_code or grader.env or grader.args is not None:
        raise NotConvertibleError("waza looks at the exit status of a program only, and starts no shell")
    where = f'"$WAZA_WORKSPACE_DIR/{grader.sub_path}"' if grader.sub_path else '"$WAZA_WORKSPACE_DIR"'
    yield ProgramGrader(
        command="sh", args=["-c", f"cd {where} && {grader.command}"], timeout=_seconds(grader.timeout)
    )


def _program(grader: VallyProgram) -> Iterator[Grader]:
    if grader.shell or grader.env or grader.sub_path:
        raise NotConvertibleError("waza starts programs without a shell, from where the run is started")
    given: dict[str, Any] = {"command": grader.program}
    if grader.args:
        given["args"] = grader.args
    if "timeout" in grader.model_fields_set:
        given["timeout"] = _seconds(grader.timeout)
    yield ProgramGrader(**given)


def _seconds(duration: str) -> int:
    return max(1, -(-(milliseconds(duration) or 0) // 1000))


def _prompt(grader: VallyPrompt) -> Iterator[Grader]:
    if (
        not grader.prompt
        or grader.scoring != "binary"
        or grader.model_fields_set - {"prompt", "model", "scoring"}
    ):
        raise NotConvertibleError(
            "waza's judges say pass or fail to a prompt; scales, thresholds and evidence are vally's"
        )
    yield PromptGrader(prompt=grader.prompt, **({"model": grader.model} if grader.model else {}))


_CONVERTERS: dict[type[Grader], Callable[[Any], Iterator[Grader]]] = {
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
    TranscriptContainsGrader: _transcript_contains,
    TranscriptNotContainsGrader: _transcript_contains,
    MetricThresholdGrader: _metric_threshold,
    TokenBudgetGrader: _token_budget,
    ToolCallCountGrader: _tool_call_count,
    WallTimeGrader: _wall_time,
    VallyToolCalls: calls_as_waza,
    VallySkillInvocation: _skill_invocation,
    RunCommandGrader: _run_command,
    VallyProgram: _program,
    VallyPrompt: _prompt,
}

DIFFERENCES = {
    ProgramGrader: "waza starts the program in the working directory of the run and passes the output on standard input",
    PromptGrader: "waza's judge passes or fails, while vally's gives a score",
}
"""Differences in meaning, by the resulting grader type."""
