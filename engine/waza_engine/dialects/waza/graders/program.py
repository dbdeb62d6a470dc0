"""Runs your program, which passes with exit status 0.

## What it looks at
Whatever your program looks at. It gets the agent's output on stdin, and the path of the workspace in the environment
variable `WAZA_WORKSPACE_DIR`.

## Score
1.0 if the program exits with status 0. 0.0 if it exits with another status, is killed by a signal, cannot be started
or exceeds the time limit.

## Example
```yaml
type: program
name: tests-pass
config:
  command: python3
  args: [checks/run_tests.py]
  timeout: 60
```

## Watch out
- There is no shell: `command` is the name of one program. `"sh -c true"` names a program that does not exist.
- The program runs in the directory where waza was started, not in the workspace.
- Processes that the program leaves running are ended with it.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.rules.unlikely_duration import long_duration_findings
from waza_engine.graders.base import FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import end_of
from waza_engine.model.fields import Integer, Strings, Text
from waza_engine.model.findings import Finding
from waza_engine.model.results.evidence import Place
from waza_engine.model.schema_marks import foreign_keys

if TYPE_CHECKING:
    from waza_engine.lib.process.run import ProcessResult


class ProgramGrader(Grader):
    type_name = "program"
    model_config = ConfigDict(
        json_schema_extra={
            "x-inherits": {"timeout": ["project:graders.programTimeout"]},
            **foreign_keys(
                {"cmd": "command", "program": "command", "run": "command", "timeout_seconds": "timeout"}
            ),
        }
    )
    deterministic: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    program_options: ClassVar = ("command", "args")

    command: Text = Field(
        min_length=1,
        description="The program: a name on the PATH, or a path relative to the directory where waza starts.",
        examples=["python3"],
    )
    args: Strings = Field(
        default=[],
        description="Arguments of the program, passed unchanged: quotes, wildcards and variables are not interpreted.",
        examples=[["checks/run_tests.py", "--strict"]],
    )
    timeout: Integer = Field(
        default=0,
        description=(
            "Time limit in seconds. If omitted or 0: `graders.programTimeout` in .waza.yaml, otherwise 30."
        ),
        examples=[60],
        json_schema_extra={"x-shown-default": 30},
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from long_duration_findings(self.timeout, ("timeout",))

    def grade(self, context: GradingContext) -> GraderResult:
        # Imported late: a check starts no program.
        from waza_engine.dialects.waza.formats.loading.project_file import program_timeout
        from waza_engine.lib.process import run as processes
        from waza_engine.lib.process.environment import program_environment
        from waza_engine.lib.process.sandbox import confined

        seconds = self.timeout if self.timeout > 0 else program_timeout(context.process_dir)
        workspace = str(context.workspace_dir or "")
        environment = program_environment(
            os.environ, {"WAZA_WORKSPACE_DIR": workspace}, directory=context.process_dir
        )
        try:
            finished = processes.run(
                confined(
                    [self.command, *self.args],
                    cwd=context.process_dir,
                    environment=environment,
                    writable=[context.workspace_dir],
                ),
                cwd=context.process_dir,
                seconds=seconds,
                stdin=context.output.encode("utf-8", "replace"),
                env=environment,
            )
        except (OSError, ValueError) as error:
            return self._verdict(f"could not be started: {error}", "", "", workspace)
        stdout, stderr = (it.decode("utf-8", "replace").strip() for it in (finished.stdout, finished.stderr))
        return self._verdict(_error(finished, seconds), stdout, stderr, workspace)

    def _verdict(self, error: str, stdout: str, stderr: str, workspace: str) -> GraderResult:
        details = {
            "command": self.command,
            "args": self.args,
            "stdout": stdout,
            "stderr": stderr,
            "workspace_dir": workspace,
        }
        if error:
            # Imported late: a check starts no program.
            from waza_engine.lib.process.environment import withheld_note

            feedback = f"'{self.command}' {error}" + (f": {stderr}" if stderr else "")
            if note := withheld_note(os.environ, f"{stdout} {stderr}"):
                feedback, details = f"{feedback}. {note}", {**details, "withheld": note}
            part = FailedCheck(
                ("command",),
                f"'{self.command}' {error}",
                end_of(stderr or stdout),
                wanted="exit status 0",
                place=Place("stderr" if stderr else "stdout"),
            )
            return GraderResult.failed(feedback, {**details, "exit_error": error}, (part,))
        return GraderResult(1.0, True, stdout or "The program exited with status 0", details)


def _error(finished: "ProcessResult", seconds: float) -> str:
    if finished.timed_out and finished.status:
        return f"took longer than {seconds:g} s and was stopped"
    if finished.status < 0:
        return f"was killed by signal {-finished.status}"
    return f"exited with status {finished.status}" if finished.status else ""
