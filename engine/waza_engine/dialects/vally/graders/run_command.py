r"""A command that must end as expected, in the workspace after the run.

## What it looks at
The exit status of a command, and what it prints.

## Score
1 when every check that is configured holds, otherwise 0: the exit status, and what must, or must not, be printed. A
command that cannot be started, is ended by a signal or takes too long has failed.

## Example
```yaml
type: run-command
config:
  command: npm test
  stdout_matches: '(?m)^# pass [1-9]'
  timeout: 120s
```

## Watch out
- With `args`, `command` is a program and there is no shell; without them it is a line for the shell.
- Some test runners end with 0 when they found no test: look at the output, too.
"""

from collections.abc import Callable, Iterator
from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Duration, Integer, Text, TextMap, Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.patterns import (
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.graders._shared.process import (
    NoPlaceError,
    SubPath,
    directory_for,
    ending,
    run_child,
    runs_tests,
    shell_line,
    sub_path_refusals,
)
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import quote
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.process.run import ProcessResult
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Fix, InsertKey
from waza_engine.rules.exit_code_only import EXIT_CODE_ONLY
from waza_engine.rules.pattern_as_text import pattern_as_text


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
        description="A line for the shell; with `args`, a program that is started without a shell.",
        examples=["npm test"],
    )
    args: IfGiven[Texts] = Field(
        default=None,
        description="Arguments of the program, passed on as they are. A list without items counts as one, too.",
        examples=[["test", "--silent"]],
    )
    expected_exit_code: Integer = Field(default=0, description="The exit status that passes.", examples=[1])
    stdout_contains: IfGiven[Text] = Field(
        default=None,
        description="A text that must be in its output; upper and lower case count.",
        examples=["0 failures"],
    )
    stderr_contains: IfGiven[Text] = Field(
        default=None,
        description="A text that must be in its error output; upper and lower case count.",
        examples=["warning"],
    )
    stdout_matches: IfGiven[Text] = Field(
        default=None,
        description="A JavaScript pattern that must be found in its output.",
        examples=["(?m)^# pass [1-9]"],
        json_schema_extra=pattern_marks(),
    )
    stdout_not_matches: IfGiven[Text] = Field(
        default=None,
        description="A JavaScript pattern that must not be found in its output.",
        examples=["(?i)\\berror\\b"],
        json_schema_extra=pattern_marks(),
    )
    sub_path: SubPath = ""
    timeout: Duration = Field(
        default="30s", description="How long it may take, with a unit.", examples=["120s"]
    )
    env: TextMap = Field(
        default={}, description="Variables added to the environment.", examples=[{"CI": "true"}]
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for option in ("stdout_matches", "stdout_not_matches"):
            yield from pattern_refusals(getattr(self, option) or "", (option,))
        yield from sub_path_refusals(self.sub_path)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for option in ("stdout_matches", "stdout_not_matches"):
            if pattern := getattr(self, option):
                fate = "always fails" if "not" in option else "always passes"
                yield from pattern_findings(pattern, (option,), fate)
        yield from pattern_as_text(self.stdout_contains or "", ("stdout_contains",), "'stdout_matches'")
        looked_at = (self.stdout_contains, self.stderr_contains, self.stdout_matches, self.stdout_not_matches)
        if not any(looked_at) and runs_tests(" ".join([self.command, *(self.args or ())])):
            yield EXIT_CODE_ONLY.at(
                ("command",),
                "A test runner may end with status 0 when it found no test: look at its output, too, with 'stdout_matches'",
                fixes=[Fix("Look at the output, too", (InsertKey((), "stdout_matches", None),))],
            )

    def grade(self, context: GradingContext) -> GraderResult:
        command = shell_line(self.command) if self.args is None else [self.command, *self.args]
        details: dict[str, object] = {"command": self.command, "args": self.args, "sub_path": self.sub_path}
        try:
            place = directory_for(context, self.sub_path)
        except NoPlaceError as error:
            return GraderResult.undecided(f"The command was not run: {error}", details)
        try:
            finished = run_child(command, place, self.timeout, self.env)
        except (OSError, ValueError) as error:
            said = f"'{self.command}' cannot be started: {error}"
            return GraderResult.failed(said, details, (FailedCheck(("command",), said),))
        stdout, stderr = (it.decode("utf-8", "replace") for it in (finished.stdout, finished.stderr))
        details |= {"exit_code": finished.status, "stdout": stdout, "stderr": stderr}
        try:
            failures = tuple(self._failures(finished, stdout, stderr))
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}", details)
        if failures:
            return GraderResult.failed("; ".join(it.message for it in failures), details, failures)
        return GraderResult(1.0, True, f"'{self.command}' ended with status {finished.status}", details)

    def _failures(self, finished: ProcessResult, stdout: str, stderr: str) -> Iterator[FailedCheck]:
        if bad_end := ending(finished, self.timeout):
            yield FailedCheck(
                ("timeout" if finished.timed_out else "command",), f"'{self.command}' {bad_end}"
            )
        elif finished.status != self.expected_exit_code:
            option = "expected_exit_code" if self.expected_exit_code else "command"
            wanted = f"instead of {self.expected_exit_code}"
            yield FailedCheck(
                (option,), f"'{self.command}' ended with status {finished.status} {wanted}", _shown(stderr)
            )
        checks: list[tuple[str, str, Callable[[str], bool], str]] = [
            ("stdout_contains", "the output lacks", lambda it: it in stdout, stdout),
            ("stderr_contains", "the error output lacks", lambda it: it in stderr, stderr),
            ("stdout_matches", "the output does not match", lambda it: bool(js_matches(it, stdout)), stdout),
            ("stdout_not_matches", "the output matches", lambda it: js_matches(it, stdout) is False, stdout),
        ]
        for option, word, holds, text in checks:
            wanted = getattr(self, option)
            if wanted is not None and not holds(wanted):
                yield FailedCheck((option,), f"{word} {quote(wanted)}", _shown(text))


def _shown(text: str) -> str:
    lines = text.strip().splitlines()
    return f"it ends: {quote(lines[-1])}" if lines else "it is empty"
