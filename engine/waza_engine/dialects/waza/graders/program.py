"""A program of yours decides: exit status 0 passes.

## What it looks at
Whatever the program looks at. It gets the agent's output on stdin and the workspace's path in the environment
variable `WAZA_WORKSPACE_DIR`.

## Score
1.0 when the program ends with status 0, otherwise 0.0: any other status, a signal, a program that does not exist or
cannot be started, or the time limit.

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
- There is no shell: `command` is one program, `"sh -c true"` is the name of a program that does not exist.
- It starts in the directory that waza was started in, not in the workspace.
- Programs that the command leaves running are ended with it.
"""

import os
from collections.abc import Iterator
from typing import ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.formats.loading.project_file import program_timeout
from waza_engine.dialects.waza.rules.unlikely_duration import too_long
from waza_engine.graders.base import Grader, GraderResult, GradingContext, Scope
from waza_engine.lib.process import run as processes
from waza_engine.model.fields import Integer, Strings, Text
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import foreign_keys


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
        description="The program: a name on the PATH, or a path relative to where waza was started.",
        examples=["python3"],
    )
    args: Strings = Field(
        default=[],
        description="Its arguments, passed on as they are: no quotes, wildcards or variables are interpreted.",
        examples=[["checks/run_tests.py", "--strict"]],
    )
    timeout: Integer = Field(
        default=0,
        description=(
            "Time limit in seconds. Left out, or 0: `graders.programTimeout` of .waza.yaml, otherwise 30."
        ),
        examples=[60],
        json_schema_extra={"x-shown-default": 30},
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from too_long(self.timeout, ("timeout",))

    def grade(self, context: GradingContext) -> GraderResult:
        seconds = self.timeout if self.timeout > 0 else program_timeout(context.process_dir)
        workspace = str(context.workspace_dir or "")
        try:
            finished = processes.run(
                [self.command, *self.args],
                cwd=context.process_dir,
                seconds=seconds,
                stdin=context.output.encode("utf-8", "replace"),
                env={**os.environ, "WAZA_WORKSPACE_DIR": workspace},
            )
        except (OSError, ValueError) as error:
            return self._verdict(f"cannot be started: {error}", "", "", workspace)
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
            feedback = f"'{self.command}' {error}" + (f": {stderr}" if stderr else "")
            return GraderResult.failed(feedback, {**details, "exit_error": error})
        return GraderResult(1.0, True, stdout or "The program ended with status 0", details)


def _error(finished: processes.ProcessResult, seconds: float) -> str:
    if finished.timed_out and finished.status:
        return f"took longer than {seconds:g} s and was stopped"
    if finished.status < 0:
        return f"was ended by signal {-finished.status}"
    return f"ended with status {finished.status}" if finished.status else ""
