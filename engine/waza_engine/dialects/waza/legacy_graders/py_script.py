"""Runs a Python script, which prints its verdict as JSON.

## What it looks at
Whatever the script looks at. It gets `task`, `transcript`, `output`, `outcome`, `duration_ms` and `metadata` as one
JSON object on stdin.

## Score
`score` (0 to 1, default 0.0) and `passed` (default false) of the JSON object that the script prints. The two are
independent.

## Example
```yaml
type: script
name: own-check
script: graders/check.py
```

## Watch out
- The current type is `program`, which uses the exit status.
- The script must print nothing but the object. Every failure of the script is a failed check with score 0.0.
- There is a time limit of 30 seconds.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, Field, ValidationError

from waza_engine.dialects.waza.generations.python import PyGrader
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.entry import problems_text
from waza_engine.lib.paths import exists
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.environment import program_environment
from waza_engine.lib.process.sandbox import confined
from waza_engine.model.fields import AnyValue
from waza_engine.model.schema_marks import marks

_SECONDS = 30.0


class _Reply(BaseModel):
    """The script's output, with the conversions of pydantic: numeric strings, `"yes"`."""

    score: float = Field(0.0, ge=0.0, le=1.0)
    passed: bool = False
    message: str = ""
    details: dict[str, Any] = {}


class PyScriptGrader(PyGrader):
    type_name = "script"
    deterministic: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    without_file: ClassVar[str] = "the grader fails"
    successor: ClassVar[str] = "program"
    outdated: ClassVar[str] = (
        "'script' is from older versions. The closest type is 'program': it gets the output, and its exit status decides"
    )

    script: AnyValue = Field(
        default=None,
        description="Path of the script, relative to the directory where waza starts. Usually next to `type`, not under `config`.",
        examples=["graders/check.py"],
        json_schema_extra={"type": "string", **marks(path=("process", "file"))},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        if not isinstance(self.script, str) or not self.script:
            return _failure("No script is configured")
        path = context.process_dir / self.script
        if not exists(os.fspath(path)):
            return _failure(f"The script {self.script} does not exist")
        command, cwd = [sys.executable, self.script], context.process_dir
        environment = program_environment(os.environ, directory=cwd)
        try:
            finished = processes.run(
                confined(command, cwd=cwd, environment=environment, writable=[context.workspace_dir]),
                cwd=cwd,
                seconds=_SECONDS,
                stdin=_stdin(context),
                env=environment,
            )
        except (OSError, ValueError) as error:
            return _failure(f"The script could not be started: {error}")
        return _verdict(finished, path)


def _stdin(context: GradingContext) -> bytes:
    members = {
        "task": dict(context.task),
        "transcript": [dict(it) for it in context.transcript],
        "output": context.output,
        "outcome": dict(context.outcome),
        "duration_ms": context.duration_ms,
        "metadata": {},
    }
    return json.dumps(members).encode()


def _verdict(finished: processes.ProcessResult, path: Path) -> GraderResult:
    if finished.timed_out:
        return _failure(f"The script took longer than {_SECONDS:g} s")
    if finished.status:
        reason = finished.stderr.decode("utf-8", "replace").strip()
        return _failure(f"The script exited with status {finished.status}: {reason}")
    try:
        reply = _Reply.model_validate(json.loads(finished.stdout.decode("utf-8", "replace")))
    except ValidationError as error:
        return _failure(f"The output of {path.name} is not a verdict: {problems_text(error)}")
    except (ValueError, RecursionError) as error:
        return _failure(f"The output of {path.name} is not a verdict: {error}")
    return GraderResult(reply.score, reply.passed, reply.message, reply.details, "code")


def _failure(message: str) -> GraderResult:
    return GraderResult(0.0, False, message, type_name="code")
