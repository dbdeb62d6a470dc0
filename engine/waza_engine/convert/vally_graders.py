"""vally's graders as waza's.

Options are read and written through the graders' own models. See docs/reference/vally.md, section 13.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from waza_engine.convert.conversion import CannotSayError
from waza_engine.convert.patterns import said_in_re2
from waza_engine.convert.vally_tool_calls import calls_as_waza
from waza_engine.graders.base import Grader
from waza_engine.graders.vally.completed import CompletedGrader
from waza_engine.graders.vally.error_count import ErrorCountGrader
from waza_engine.graders.vally.exit_success import ExitSuccessGrader
from waza_engine.graders.vally.file_contains import FileContainsGrader
from waza_engine.graders.vally.file_exists import FileExistsGrader
from waza_engine.graders.vally.file_matches import FileMatchesGrader
from waza_engine.graders.vally.file_not_contains import FileNotContainsGrader
from waza_engine.graders.vally.file_not_exists import FileNotExistsGrader
from waza_engine.graders.vally.file_not_matches import FileNotMatchesGrader
from waza_engine.graders.vally.output_contains import OutputContainsGrader
from waza_engine.graders.vally.output_matches import OutputMatchesGrader
from waza_engine.graders.vally.output_not_contains import OutputNotContainsGrader
from waza_engine.graders.vally.output_not_matches import OutputNotMatchesGrader
from waza_engine.graders.vally.program import ProgramGrader as VallyProgram
from waza_engine.graders.vally.prompt import PromptGrader as VallyPrompt
from waza_engine.graders.vally.run_command import RunCommandGrader
from waza_engine.graders.vally.skill_invocation import SkillInvocationGrader as VallySkillInvocation
from waza_engine.graders.vally.token_budget import TokenBudgetGrader
from waza_engine.graders.vally.tool_call_count import ToolCallCountGrader
from waza_engine.graders.vally.tool_calls import ToolCallsGrader as VallyToolCalls
from waza_engine.graders.vally.wall_time import WallTimeGrader
from waza_engine.graders.waza.behavior import BehaviorGrader
from waza_engine.graders.waza.code import CodeGrader
from waza_engine.graders.waza.file import ContentPatterns, FileGrader
from waza_engine.graders.waza.program import ProgramGrader
from waza_engine.graders.waza.prompt import PromptGrader
from waza_engine.graders.waza.skill_invocation import SkillInvocationGrader
from waza_engine.graders.waza.text import TextGrader
from waza_engine.graders.waza.tool_calls import ToolCallsGrader
from waza_engine.lib.go.paths import cleaned
from waza_engine.vally.globs import refusal
from waza_engine.vally.workspace_files import FileContains, FileExists, FileMatches
from waza_engine.vally_values import milliseconds


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
