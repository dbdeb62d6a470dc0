"""The summary of a pull request as data: `summary.json`, which one job writes and another one reads.

The job that comments has more rights than the job that ran the evals of a stranger. So nothing of this file is taken on
trust: all texts are bounded, and the comment is made from the data, never copied.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.lib.files.safe_read import given_bytes
from waza_engine.model.file_names import SUMMARY
from waza_engine.model.pydantic_messages import first_problem_text
from waza_engine.model.results.consumption import Consumption

MOST_BYTES = 24_000_000
_LONGEST = 600
_MOST_EVALS, MOST_TASKS, _MOST_FAILURES = 500, 4000, 50
_Text = Annotated[str, Field(max_length=_LONGEST)]
_Count = Annotated[int, Field(ge=0, le=10**15)]
_Score = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
NO_EARLIER_SCORE = "no earlier score"
"""An earlier run could not judge it."""
_Status = Literal["passed", "failed", "error", "skipped", "cancelled"]
Commit = Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})?$")]


class SummaryError(Exception):
    """The file is not a summary of a pull request. The message says why."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Compared(_Part):
    """A score before and now. `before` is None without an earlier run, `now` is None if nothing could be judged.

    `n` counts what was measured now: trials of a task, or tasks of an eval; `n_before` the same of the base branch. `word`
    is what the difference shows (`statistics/verdict.py`), or that an earlier run has no score.
    """

    before: _Score | None = None
    now: _Score | None = None
    n: _Count = 0
    n_before: _Count = 0
    word: _Text = ""


class TaskSummary(_Part):
    """A task. `failures` are the lines that explain why it did not pass."""

    name: _Text
    status: _Status
    compared: Compared = Compared()
    failures: Annotated[list[_Text], Field(max_length=60)] = []


class EvalSummary(_Part):
    """A run of an eval. With `is_replayed`, its recordings were graded, and no agent started.

    `reasons` say why it ran, `verdict` is the report's last sentence.
    """

    path: _Text
    name: _Text
    status: _Status
    verdict: _Text = ""
    is_replayed: bool = False
    is_undecided: bool = False
    reasons: Annotated[list[_Text], Field(max_length=20)] = []
    compared: Compared = Compared()
    tasks: Annotated[list[TaskSummary], Field(max_length=MOST_TASKS)] = []


class FindingSummary(_Part):
    """A finding of the check or of the audit."""

    path: _Text
    line: _Count
    level: Literal["error", "warning", "information", "hint"]
    code: _Text
    message: _Text


class AuditSummary(_Part):
    """The audit of an eval. `passing` are tasks that pass for an agent that does no work."""

    path: _Text
    score: _Score | None = None
    passing: Annotated[list[_Text], Field(max_length=50)] = []
    survivors: _Count = 0


class Summary(_Part):
    """Everything that the comment says. `problems` are what kept an eval from running at all.

    `is_base` marks runs of the base branch itself, with which pull requests compare; `commit` is the commit that they ran.
    `number` and `head` are the pull request and its newest commit, `base` the branch and `base_commit` the commit whose
    runs were compared with ("" if there were none).
    """

    version: Literal[1] = 1
    is_base: bool = False
    number: _Count = 0
    head: Commit = ""
    commit: Commit = ""
    base: _Text = ""
    base_commit: Commit = ""
    skills: Annotated[list[_Text], Field(max_length=200)] = []
    skill_count: _Count = 0
    eval_count: _Count = 0
    run_count: _Count = 0
    removed: Annotated[list[_Text], Field(max_length=100)] = []
    tokens: _Count = 0
    evals: Annotated[list[EvalSummary], Field(max_length=_MOST_EVALS)] = []
    findings: Annotated[list[FindingSummary], Field(max_length=100)] = []
    error_count: _Count = 0
    warning_count: _Count = 0
    audits: Annotated[list[AuditSummary], Field(max_length=_MOST_EVALS)] = []
    problems: Annotated[list[_Text], Field(max_length=100)] = []

    @property
    def status(self) -> Literal["passed", "failed", "error"]:
        """The overall verdict. Evals that could not be judged count only if nothing failed."""
        if self.error_count or any(it.status == "failed" and not it.is_undecided for it in self.evals):
            return "failed"
        is_open = self.problems or any(it.status not in {"passed", "skipped"} for it in self.evals)
        return "error" if is_open else "passed"


def bounded(evals: Sequence[EvalSummary]) -> list[EvalSummary]:
    """Return the evals without what no comment has room for: then the summary itself stays small enough to be read."""
    tasks, failures, found = MOST_TASKS, _MOST_FAILURES, []
    for it in evals[:_MOST_EVALS]:
        kept = []
        for task in it.tasks[:tasks]:
            failures -= bool(task.failures)
            kept.append(task if failures >= 0 else task.model_copy(update={"failures": []}))
        tasks -= len(kept)
        found.append(it.model_copy(update={"tasks": kept}))
    return found


def tokens_of(used: Consumption) -> int:
    """Return all tokens, of agents and judges."""
    agent = used.agent_input_tokens + used.agent_output_tokens
    return min(max(0, agent + used.judge_input_tokens + used.judge_output_tokens), 10**15)


def cut(text: str) -> str:
    """Return a text that is short enough for a summary, without halves of surrogate pairs, which JSON cannot hold."""
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"


def parse_summary(data: bytes) -> Summary:
    """Return the summary in a JSON text of any origin.

    Raises:
        SummaryError: it is something else.

    """
    if len(data) > MOST_BYTES:
        raise SummaryError(f"the summary has more than {MOST_BYTES:,} bytes")
    try:
        return Summary.model_validate_json(data)
    except ValidationError as error:
        raise SummaryError(f"not a summary of waza-lsp ci: {first_problem_text(error)}") from error


def read_summary(path: Path) -> Summary:
    """Return the summary in a file, or in a folder of `waza-lsp ci run`.

    Raises:
        SummaryError: it cannot be read, or is something else.

    """
    file = path / SUMMARY if path.is_dir() else path
    try:
        return parse_summary(given_bytes(file, MOST_BYTES))
    except OSError as error:
        raise SummaryError(f"{file}: cannot be read: {error.strerror or error}") from error
    except SummaryError as error:
        raise SummaryError(f"{file}: {error}") from error
