"""A program of yours decides: with its exit status, or with a result that it prints.

## What it looks at
Whatever the program looks at. The environment variable `EVALUATE_WORKSPACE` has the path of the workspace, and
`EVALUATE_GRADER_INPUT` that of a JSON file with `trajectory`, `stimulus` and `config`.

## Score
A program that prints nothing passes with exit status 0 and score 1; any other end is score 0. One that prints a JSON
object gives the result itself: `score` from 0 to 1, `passed`, `evidence` and, if it likes, `details` and `metadata`.
Without `passed`, only score 1 passes.

## Example
```yaml
type: program
config:
  program: node
  args: [checks/verdict.mjs]
  timeout: 90s
```

## Watch out
- Anything else on its output is no verdict but an error: write messages to stderr.
- It starts in the workspace, or in `sub_path` below it: relative paths of scripts count from there.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Duration, Flag, Text, TextMap, Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.process import (
    NoPlaceError,
    SubPath,
    directory_for,
    ending,
    grader_input,
    run_child,
    shell_line,
    sub_path_refusals,
)
from waza_engine.dialects.vally.js_text import trim
from waza_engine.graders.base import Criterion, FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.model.findings import Finding
from waza_engine.rules.conflicting_keys import CONFLICTING_KEYS

_WORKSPACE = "EVALUATE_WORKSPACE"
_INPUT = "EVALUATE_GRADER_INPUT"


class ProgramGrader(VallyGrader):
    type_name = "program"
    portability = "t3a-scenario"
    requires_workspace: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    program_options: ClassVar = ("program", "args")

    program: Text = Field(min_length=1, description="The program to start.", examples=["node"])
    args: Texts = Field(
        default=[],
        description="Its arguments, passed on as they are; with `shell`, put behind the program with blanks.",
        examples=[["checks/verdict.mjs"]],
    )
    shell: Flag = Field(default=False, description="Whether a shell reads the line.", examples=[True])
    sub_path: SubPath = ""
    timeout: Duration = Field(
        default="60s", description="How long it may take, with a unit.", examples=["90s"]
    )
    env: TextMap = Field(
        default={},
        description=f"Variables added to the environment, but not `{_WORKSPACE}` or `{_INPUT}`.",
        examples=[{"STRICT": "1"}],
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for name in self.env:
            if name.upper() in {_WORKSPACE, _INPUT}:
                yield CONFLICTING_KEYS.at(
                    ("env", name), f"'{name}' is set by vally: choose another name", on="key", refused=True
                )
        yield from sub_path_refusals(self.sub_path)

    def grade(self, context: GradingContext) -> GraderResult:
        details: dict[str, Any] = {"program": self.program, "args": self.args}
        try:
            place = directory_for(context, self.sub_path)
        except NoPlaceError as error:
            return GraderResult.undecided(f"The program was not run: {error}", details)
        line = shell_line(" ".join([self.program, *self.args]))
        command = line if self.shell else [self.program, *self.args]
        with temporary_folder() as folder:
            told = folder / "input.json"
            told.write_text(
                json.dumps(grader_input(context, self.model_dump()), default=str), encoding="utf-8"
            )
            names = {_WORKSPACE: str(context.workspace_dir), _INPUT: str(told)}
            try:
                finished = run_child(command, place, self.timeout, {**self.env, **names})
            except (OSError, ValueError) as error:
                return _failed(f"'{self.program}' cannot be started: {error}", details)
        stdout, stderr = (it.decode("utf-8", "replace") for it in (finished.stdout, finished.stderr))
        details |= {"exit_code": finished.status, "stdout": stdout, "stderr": stderr}
        if bad_end := ending(finished, self.timeout):
            return _failed(f"'{self.program}' {bad_end}", details)
        if trim(stdout):
            return _answered(stdout, details)
        if finished.status:
            return _failed(f"'{self.program}' ended with status {finished.status}", details)
        return GraderResult(1.0, True, f"'{self.program}' ended with status 0", details)


def _failed(said: str, details: dict[str, Any]) -> GraderResult:
    return GraderResult.failed(said, details, (FailedCheck(("program",), said),))


def _answered(stdout: str, details: dict[str, Any]) -> GraderResult:
    """The result that the program printed."""
    try:
        answer = json.loads(stdout)
    except (ValueError, RecursionError):
        return GraderResult.undecided("The program printed something that is no JSON", details)
    score = _score(answer.get("score")) if isinstance(answer, Mapping) else None
    if score is None:
        return GraderResult.undecided("The program printed no object with a 'score' from 0 to 1", details)
    passed = answer.get("passed", score == 1)
    if not isinstance(passed, bool):
        return GraderResult.undecided("The program's 'passed' is neither true nor false", details)
    metadata = answer.get("metadata")
    evidence = answer.get("evidence")
    parts = () if passed else (FailedCheck(("program",), str(evidence or "the program says no")),)
    return GraderResult(
        score,
        passed,
        evidence if isinstance(evidence, str) else "",
        {**details, **metadata} if isinstance(metadata, Mapping) else details,
        parts=parts,
        status="error" if answer.get("status") == "error" else "",
        label=answer["label"] if answer.get("label") in {"correct", "incorrect"} else "",
        criteria=tuple(_criteria(answer.get("details"))),
    )


def _score(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number and 0 <= value <= 1 else None


def _criteria(details: Any) -> Iterator[Criterion]:
    for it in details if isinstance(details, list) else ():
        if isinstance(it, Mapping):
            score = _score(it.get("score")) or 0.0
            evidence = str(it.get("evidence") or "")
            yield Criterion(str(it.get("name") or ""), score, it.get("passed") is True, evidence)
