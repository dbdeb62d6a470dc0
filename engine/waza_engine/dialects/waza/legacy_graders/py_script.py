"""A Python script decides: it prints its verdict as JSON.

## What it looks at
Whatever the script looks at. It gets `task`, `transcript`, `output`, `outcome`, `duration_ms` and `metadata` as one
JSON object on stdin.

## Score
`score` (0 to 1, otherwise 0.0) and `passed` (otherwise false) of the one JSON object that the script prints. The two
are independent of each other.

## Example
```yaml
type: script
name: own-check
script: graders/check.py
```

## Watch out
- The current type is `program`; it judges by the exit status.
- Anything printed beside the object spoils it. Every failure of the script is a failed check with score 0.0.
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
from waza_engine.model.fields import AnyValue
from waza_engine.model.schema_marks import marks

_SECONDS = 30.0


class _Reply(BaseModel):
    """What the script prints, with the conversions that pydantic made then: numeric texts, `"yes"`."""

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
        "'script' is from older versions; 'program' comes nearest: it gets the output, its exit status decides"
    )

    script: AnyValue = Field(
        default=None,
        description="The script, relative to where waza is started. Usually beside `type`, not under `config`.",
        examples=["graders/check.py"],
        json_schema_extra={"type": "string", **marks(path=("process", "file"))},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        if not isinstance(self.script, str) or not self.script:
            return _failed("No script is configured")
        path = context.process_dir / self.script
        if not exists(os.fspath(path)):
            return _failed(f"There is no script {self.script}")
        try:
            finished = processes.run(
                [sys.executable, self.script],
                cwd=context.process_dir,
                seconds=_SECONDS,
                stdin=_stdin(context),
            )
        except (OSError, ValueError) as error:
            return _failed(f"The script cannot be started: {error}")
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
        return _failed(f"The script took longer than {_SECONDS:g} s")
    if finished.status:
        reason = finished.stderr.decode("utf-8", "replace").strip()
        return _failed(f"The script ended with status {finished.status}: {reason}")
    try:
        reply = _Reply.model_validate(json.loads(finished.stdout.decode("utf-8", "replace")))
    except ValidationError as error:
        return _failed(f"What {path.name} printed is no verdict: {problems_text(error)}")
    except (ValueError, RecursionError) as error:
        return _failed(f"What {path.name} printed is no verdict: {error}")
    return GraderResult(reply.score, reply.passed, reply.message, reply.details, "code")


def _failed(message: str) -> GraderResult:
    return GraderResult(0.0, False, message, type_name="code")
