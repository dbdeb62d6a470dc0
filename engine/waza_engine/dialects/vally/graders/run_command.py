r"""Runs a command in the workspace after the run and checks its result.

## What it looks at
The exit status and the output of the command.

## Score
1 if all configured checks pass, otherwise 0: the exit status, and the output that is required or forbidden. A command
that cannot be started, is killed by a signal or times out fails.

## Example
```yaml
type: run-command
config:
  command: npm test
  stdout_matches: '(?m)^# pass [1-9]'
  timeout: 120s
```

## Watch out
- With `args`, `command` is a program and no shell is used. Without `args`, it is a shell command line.
- Some test runners exit with 0 if they find no tests: check the output as well.
"""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import (
    Duration,
    Integer,
    OneOrMoreTexts,
    Text,
    TextMap,
    Texts,
    texts_in,
)
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.patterns import (
    match_in,
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.graders._shared.process import (
    NoDirectoryError,
    SubPath,
    abnormal_end,
    directory_for,
    passes_without_tests,
    run_child,
    shell_line,
    sub_path_refusals,
    withheld_by,
)
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import end_of, quote
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.process.run import ProcessResult
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Fix, InsertKey
from waza_engine.model.results.evidence import Place
from waza_engine.rules.exit_code_only import EXIT_CODE_ONLY
from waza_engine.rules.pattern_as_text import pattern_as_text

_PATTERNS: dict[str, Any] = {
    **pattern_marks(),
    "items": {"type": "string", "minLength": 1, **pattern_marks()},
}


class RunCommandGrader(VallyGrader):
    type_name = "run-command"
    determinism = "complex-static"
    portability = "t2-domain"
    requires_workspace: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    program_options: ClassVar = ("command", "args")

    command: Text = Field(
        min_length=1,
        description="Shell command line; with `args`, a program that is started without a shell.",
        examples=["npm test"],
    )
    args: IfGiven[Texts] = Field(
        default=None,
        description="Program arguments, passed unchanged. An empty list also turns the shell off.",
        examples=[["test", "--silent"]],
    )
    expected_exit_code: Integer = Field(default=0, description="Expected exit status.", examples=[1])
    stdout_contains: IfGiven[OneOrMoreTexts] = Field(
        default=None,
        description="String that stdout must contain (case-sensitive), or a list of which all must occur.",
        examples=["0 failures", ["0 failing", "passed"]],
    )
    stderr_contains: IfGiven[OneOrMoreTexts] = Field(
        default=None,
        description="String that stderr must contain (case-sensitive), or a list of which all must occur.",
        examples=["warning"],
    )
    stdout_matches: IfGiven[OneOrMoreTexts] = Field(
        default=None,
        description="JavaScript pattern that stdout must match, or a list of which all must match.",
        examples=["(?m)^# pass [1-9]"],
        json_schema_extra=_PATTERNS,
    )
    stdout_not_matches: IfGiven[OneOrMoreTexts] = Field(
        default=None,
        description="JavaScript pattern that stdout must not match, or a list of which none may match.",
        examples=["(?i)\\berror\\b"],
        json_schema_extra=_PATTERNS,
    )
    sub_path: SubPath = ""
    timeout: Duration = Field(default="30s", description="Time limit with a unit.", examples=["120s"])
    env: TextMap = Field(default={}, description="Extra environment variables.", examples=[{"CI": "true"}])

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for option in ("stdout_matches", "stdout_not_matches"):
            for place, pattern in texts_in(getattr(self, option)):
                yield from pattern_refusals(pattern, (option, *place))
        yield from sub_path_refusals(self.sub_path)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for option in ("stdout_matches", "stdout_not_matches"):
            fate = "always fails" if "not" in option else "always passes"
            for place, pattern in texts_in(getattr(self, option)):
                yield from pattern_findings(pattern, (option, *place), fate)
        for place, text in texts_in(self.stdout_contains):
            yield from pattern_as_text(text, ("stdout_contains", *place), "'stdout_matches'")
        output_checks = (
            self.stdout_contains,
            self.stderr_contains,
            self.stdout_matches,
            self.stdout_not_matches,
        )
        if not any(output_checks) and passes_without_tests(" ".join([self.command, *(self.args or ())])):
            yield EXIT_CODE_ONLY.at(
                ("command",),
                "This test runner exits with status 0 even if it finds no tests. Check its output as well with 'stdout_matches'",
                fixes=[Fix("Check the output as well", (InsertKey((), "stdout_matches", None),))],
            )

    def grade(self, context: GradingContext) -> GraderResult:
        command = shell_line(self.command) if self.args is None else [self.command, *self.args]
        details: dict[str, object] = {"command": self.command, "args": self.args, "sub_path": self.sub_path}
        try:
            cwd = directory_for(context, self.sub_path)
        except NoDirectoryError as error:
            return GraderResult.undecided(f"The command was not run: {error}", details)
        try:
            finished = run_child(command, cwd, self.timeout, self.env, context.workspace_dir)
        except (OSError, ValueError) as error:
            feedback = f"'{self.command}' cannot be started: {error}"
            return GraderResult.failed(feedback, details, (FailedCheck(("command",), feedback),))
        stdout, stderr = (it.decode("utf-8", "replace") for it in (finished.stdout, finished.stderr))
        details |= {"exit_code": finished.status, "stdout": stdout, "stderr": stderr}
        try:
            failures = tuple(self._failures(finished, stdout, stderr))
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}", details)
        if failures:
            told = "; ".join(it.message for it in failures)
            note = withheld_by(finished)
            return GraderResult.failed(f"{told}. {note}" if note else told, details, failures)
        return GraderResult(1.0, True, f"'{self.command}' ended with status {finished.status}", details)

    def _failures(self, finished: ProcessResult, stdout: str, stderr: str) -> Iterator[FailedCheck]:
        if bad_end := abnormal_end(finished, self.timeout):
            yield FailedCheck(
                ("timeout" if finished.timed_out else "command",), f"'{self.command}' {bad_end}"
            )
        elif finished.status != self.expected_exit_code:
            option = "expected_exit_code" if self.expected_exit_code else "command"
            wanted = f"instead of {self.expected_exit_code}"
            yield FailedCheck(
                (option,),
                f"'{self.command}' ended with status {finished.status} {wanted}",
                end_of(stderr or stdout),
                wanted=f"exit status {self.expected_exit_code}",
                place=Place("stderr" if stderr else "stdout"),
            )
        out, err = Place("stdout"), Place("stderr")
        checks: list[tuple[str, str, Callable[[str], bool], Callable[[str], str], Place]] = [
            ("stdout_contains", "the output lacks", lambda it: it in stdout, lambda _: end_of(stdout), out),
            (
                "stderr_contains",
                "the error output lacks",
                lambda it: it in stderr,
                lambda _: end_of(stderr),
                err,
            ),
            (
                "stdout_matches",
                "the output does not match",
                lambda it: bool(js_matches(it, stdout)),
                lambda _: end_of(stdout),
                out,
            ),
            (
                "stdout_not_matches",
                "the output matches",
                lambda it: js_matches(it, stdout) is False,
                lambda it: match_in(it, stdout),
                out,
            ),
        ]
        for option, word, holds, found, text in checks:
            for place, wanted in texts_in(getattr(self, option)):
                if not holds(wanted):
                    yield FailedCheck((option, *place), f"{word} {quote(wanted)}", found(wanted), place=text)
