"""Runs your own program, which decides by its exit status or prints a result.

## What it looks at
Whatever the program reads. The environment variable `EVALUATE_WORKSPACE` holds the path of the workspace, and
`EVALUATE_GRADER_INPUT` the path of a JSON file with `trajectory`, `stimulus` and `config`.

## Score
If the program prints nothing, the check passes with score 1 on exit status 0 and fails with score 0 otherwise. If it
prints a JSON object, that is the result: `score` from 0 to 1, `passed`, `evidence` and optionally `details` and
`metadata`. Without `passed`, only score 1 passes.

## Example
```yaml
type: program
config:
  program: node
  args: [checks/verdict.mjs]
  timeout: 90s
```

## Watch out
- Any other output is an error, not a verdict: write messages to stderr.
- The program starts in the workspace or in its `sub_path`: relative script paths are resolved from there.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Duration, Flag, Text, TextMap, Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.process import (
    NoDirectoryError,
    SubPath,
    abnormal_end,
    directory_for,
    grader_input,
    run_child,
    shell_line,
    sub_path_refusals,
    withheld_by,
)
from waza_engine.dialects.vally.js_text import trim
from waza_engine.graders.base import Criterion, FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import end_of
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.model.findings import Finding
from waza_engine.model.results.evidence import Place
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

    program: Text = Field(min_length=1, description="Program to start.", examples=["node"])
    args: Texts = Field(
        default=[],
        description="Arguments, passed unchanged; with `shell`, appended to the program with spaces.",
        examples=[["checks/verdict.mjs"]],
    )
    shell: Flag = Field(
        default=False, description="Whether to run the command line in a shell.", examples=[True]
    )
    sub_path: SubPath = ""
    timeout: Duration = Field(default="60s", description="Time limit with a unit.", examples=["90s"])
    env: TextMap = Field(
        default={},
        description=f"Extra environment variables, except `{_WORKSPACE}` and `{_INPUT}`.",
        examples=[{"STRICT": "1"}],
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for name in self.env:
            if name.upper() in {_WORKSPACE, _INPUT}:
                yield CONFLICTING_KEYS.at(
                    ("env", name), f"'{name}' is set by vally. Choose another name", on="key", refused=True
                )
        yield from sub_path_refusals(self.sub_path)

    def grade(self, context: GradingContext) -> GraderResult:
        details: dict[str, Any] = {"program": self.program, "args": self.args}
        try:
            cwd = directory_for(context, self.sub_path)
        except NoDirectoryError as error:
            return GraderResult.undecided(f"The program was not run: {error}", details)
        line = shell_line(" ".join([self.program, *self.args]))
        command = line if self.shell else [self.program, *self.args]
        with temporary_folder() as folder:
            input_file = folder / "input.json"
            input_file.write_text(
                json.dumps(grader_input(context, self.model_dump()), default=str), encoding="utf-8"
            )
            paths = {_WORKSPACE: str(context.workspace_dir), _INPUT: str(input_file)}
            try:
                finished = run_child(command, cwd, self.timeout, {**self.env, **paths}, context.workspace_dir)
            except (OSError, ValueError) as error:
                return _failed(f"'{self.program}' cannot be started: {error}", details)
        stdout, stderr = (it.decode("utf-8", "replace") for it in (finished.stdout, finished.stderr))
        details |= {"exit_code": finished.status, "stdout": stdout, "stderr": stderr}
        if bad_end := abnormal_end(finished, self.timeout):
            return _failed(f"'{self.program}' {bad_end}", details, stderr)
        if trim(stdout):
            return _printed_result(stdout, details)
        if finished.status:
            note = withheld_by(finished)
            reason = f"'{self.program}' ended with status {finished.status}"
            return _failed(f"{reason}. {note}" if note else reason, details, stderr)
        return GraderResult(1.0, True, f"'{self.program}' ended with status 0", details)


def _failed(feedback: str, details: dict[str, Any], stderr: str = "") -> GraderResult:
    found = end_of(stderr) if stderr.strip() else ""
    part = FailedCheck(("program",), feedback, found, wanted="exit status 0", place=Place("stderr"))
    return GraderResult.failed(feedback, details, (part,))


def _printed_result(stdout: str, details: dict[str, Any]) -> GraderResult:
    """Return the result that the program printed as JSON."""
    try:
        answer = json.loads(stdout)
    except (ValueError, RecursionError):
        return GraderResult.undecided("The program's output is not valid JSON", details)
    score = _score(answer.get("score")) if isinstance(answer, Mapping) else None
    if score is None:
        return GraderResult.undecided(
            "The program's output is not an object with a 'score' from 0 to 1", details
        )
    passed = answer.get("passed", score == 1)
    if not isinstance(passed, bool):
        return GraderResult.undecided("The program's 'passed' is neither true nor false", details)
    metadata = answer.get("metadata")
    evidence = answer.get("evidence")
    parts = (
        () if passed else (FailedCheck(("program",), str(evidence or "the program did not pass the trial")),)
    )
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
