"""Asks a language model to judge the result.

## What it looks at
The judge gets your `prompt` or a rubric. Whether it also sees the task and the agent's output depends on the waza
version. Up to 0.35 it sees neither, unless it looks into the workspace or continues the agent's session. With a
`rubric`, and in newer versions, the message contains both.

## Score
The judge votes by calling tools. The score is the share of passing votes: three passes and one fail give
3 / 4 = 0.75. The grader passes with at least one pass and no fail. In pairwise mode, with a `baseline_output` in the
context, the judge compares the output with that of a run without the skill, in both orders: better = 1.0, tie or
contradiction = 0.5, worse = 0.0. Better and tie pass. Runs give graders no `baseline_output`.

## Example
```yaml
type: prompt
name: explains-the-cause
config:
  prompt: |
    Does the answer name the cause of the failure? Call set_waza_grade_pass if it does,
    set_waza_grade_fail if it does not.
  model: gpt-5.2
```

## Watch out
- If the judge does not vote, or cannot be reached, the trial could not be judged: it is an error of infrastructure, and
  counts neither as passed nor as failed. waza itself fails the grader if the judge does not vote. If the endpoint breaks
  down between two votes, waza counts the votes so far; we do so only if one of them is a fail.
- `continue_session` needs the agent's session, which not all executors record.
- The grader's name must not be empty.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, JsonValue

from waza_engine.dialects.waza.rules.legacy_shape import refused_shape
from waza_engine.graders.base import (
    ConfigError,
    GradeError,
    Grader,
    GraderResult,
    GradingContext,
    InfrastructureError,
    Scope,
)
from waza_engine.judges.rubrics.rubric import (
    Rubric,
    RubricError,
    built_in_names,
    is_rubric_path,
    load_rubric,
    rubric_path,
)
from waza_engine.lib.go.text import trim
from waza_engine.lib.paths import real_path
from waza_engine.lib.spelling import likely_names
from waza_engine.lib.timestamps import duration_seconds
from waza_engine.model.fields import Flag, Text
from waza_engine.model.findings import Finding, Fix, RemoveKey, SetValue
from waza_engine.model.judge import Judge, JudgeError, JudgeMissing, JudgeRequest
from waza_engine.model.schema_marks import foreign_keys, marks
from waza_engine.rules.unusable_rubric import UNUSABLE_RUBRIC

_TIMEOUT_VARIABLE = "WAZA_PROMPT_GRADER_TIMEOUT"
_TIMEOUT_SECONDS = 120.0
_PLANNED = ("threshold", "score_type", "response_format")
"""Options that were documented for a while, but that no version of waza has."""
_NO_VOTE = "The judge gave no verdict: it called neither set_waza_grade_pass nor set_waza_grade_fail"
_PAIRWISE = "pairwise"
_PAIRWISE_SCORES = {"skill": 1.0, "tie": 0.5, "baseline": 0.0}


class PromptGrader(Grader):
    type_name = "prompt"
    model_config = ConfigDict(
        json_schema_extra={
            "x-inherits": {
                "model": ["project:defaults.judgeModel", "eval:config.judge_model", "eval:config.model"]
            },
            **foreign_keys(
                {
                    "judge_model": "model",
                    "criteria": "prompt",
                    "instructions": "prompt",
                    "question": "prompt",
                },
                max_tokens="waza has no such option",
                temperature="waza has no such option",
            ),
        }
    )
    at_least_one: ClassVar[tuple[str, ...]] = ("prompt", "rubric")
    name_required: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True
    cacheable: ClassVar[bool] = False
    baseline_choice: ClassVar = ("mode", _PAIRWISE)

    prompt: Text = Field(
        default="",
        description="Instructions for the judge. Ask it to vote with set_waza_grade_pass or set_waza_grade_fail.",
        examples=["Does the answer name the cause? Vote with the tools you have."],
    )
    rubric: Text = Field(
        default="",
        description="A built-in rubric, or the path of a rubric file: anything that ends in .md or contains a slash.",
        examples=["groundedness"],
        json_schema_extra={
            **marks(reference="rubric"),
            "x-suggestions": list[JsonValue](built_in_names()),
            "x-or-path": {"base": "process", "kind": "file"},
        },
    )
    model: Text = Field(
        default="",
        description="The judge model. Default: the run's judge model, then the eval's model.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    continue_session: Flag = Field(
        default=False,
        description="Judge inside the agent's own session, so that the judge sees everything that happened.",
        examples=[True],
    )
    mode: Text = Field(
        default="",
        description="How to judge. By default, the output is judged on its own.",
        examples=["pairwise"],
        json_schema_extra={
            **marks(
                values={
                    "independent": "Judge the output on its own.",
                    _PAIRWISE: "Compare with the `baseline_output` of the context. Runs have none and judge the output on its own.",
                }
            ),
            "x-severity": "warning",
            "x-consequence": "waza judges the output on its own",
        },
    )
    reasoning_effort: Text = Field(
        default="",
        description="Reasoning effort of the judge model.",
        examples=["medium"],
        json_schema_extra=marks(
            values={
                "low": "Least reasoning, fastest answers.",
                "medium": "Moderate reasoning.",
                "high": "More reasoning.",
                "xhigh": "Extensive reasoning.",
                "max": "As much reasoning as the model supports.",
            },
        ),
    )

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        rubric = config.get("rubric")
        if isinstance(rubric, str) and is_rubric_path(rubric):
            yield rubric_path(rubric, process_dir)

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        present = [it for it in _PLANNED if config.get(it) not in (None, [], {})]
        if present:
            names = ", ".join(f"'{it}'" for it in present)
            fix = Fix(f"Remove {names}", tuple(RemoveKey((it,)) for it in present))
            message = f"Runs refuse '{present[0]}', which was never implemented: the judge of a 'prompt' grader votes pass or fail"
            yield refused_shape((present[0],), message, on="key", fixes=[fix])

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if not self._names_rubric() or (is_rubric_path(self.rubric) and not _may_be_read(self.rubric, scope)):
            return
        try:
            load_rubric(self.rubric, scope.process_dir or Path())
        except RubricError as error:
            changes = [(it, SetValue(("rubric",), it)) for it in likely_names(self.rubric, built_in_names())]
            fixes = [Fix(f"Change to '{name}'", (change,)) for name, change in changes]
            yield UNUSABLE_RUBRIC.at(("rubric",), str(error), refused=True, fixes=fixes)

    def grade(self, context: GradingContext) -> GraderResult:
        rubric = self._rubric(context.process_dir)
        if context.judge is None:
            raise GradeError("No judge is configured: configure one, or run without prompt graders")
        try:
            if self.mode == _PAIRWISE and context.baseline_output:
                return self._pairwise(context.judge, context, rubric)
            return self._independent(context.judge, context, rubric)
        except JudgeMissing as error:
            raise GradeError(f"The judge gave no verdict: {error}") from error
        except JudgeError as error:
            raise InfrastructureError(f"The judge gave no verdict: {error}") from error

    def _names_rubric(self) -> bool:
        # A blank rubric counts as missing. Without a prompt it is an error, which loading the rubric reports.
        return bool(trim(self.rubric)) or not self.prompt

    def _rubric(self, process_dir: Path) -> Rubric | None:
        try:
            return load_rubric(self.rubric, process_dir) if self._names_rubric() else None
        except RubricError as error:
            raise ConfigError(str(error)) from error

    def _independent(self, judge: Judge, context: GradingContext, rubric: Rubric | None) -> GraderResult:
        # Imported late, as is all that only grading needs.
        from waza_engine.judges.votes import count_votes, hold_turn, is_settled

        if self.continue_session and not context.session_id:
            raise GradeError("Cannot continue the agent's session: the run recorded none")
        exact = self._is_exact(context)
        message = self._exact_message(context, rubric) if exact else self._message(context, rubric)
        session = context.session_id if self.continue_session else ""
        request = self._request(context, message=message, session_id=session, only_these_tools=exact)
        turn = hold_turn(judge, request, is_settled)
        votes = count_votes(turn.calls)
        details: dict[str, Any] = {
            "response": turn.text or "(the judge wrote nothing)",
            "prompt": message,
            "passes": ";".join(votes.passes),
            "failures": ";".join(votes.fails),
        }
        if rubric:
            details["rubric"] = rubric.facts()
        if turn.usage:
            details["usage"] = dict(turn.usage)
        if not votes.passes and not votes.fails:
            # waza counts this as failed. But it says nothing about the agent's work.
            return GraderResult(0.0, False, _NO_VOTE, details, infrastructure=True)
        feedback = ";".join(votes.fails) or "All prompts passed"
        return GraderResult(votes.score, votes.passed, feedback, details)

    def _pairwise(self, judge: Judge, context: GradingContext, rubric: Rubric | None) -> GraderResult:
        from waza_engine.judges.pairwise import compare_outputs

        standard = self.prompt or (rubric.body if rubric else "")
        request = self._request(context)
        comparison = compare_outputs(judge, request, standard, context.baseline_output, context.output)
        details = {
            "pairwise": {
                "winner": comparison.winner,
                "magnitude": comparison.magnitude,
                "reasoning": comparison.reasoning,
                "position_consistent": comparison.consistent,
            },
            "pass1": {},
            "pass2": {},
            "prompt": standard,
            "mode": self.mode,
        }
        score = _PAIRWISE_SCORES[comparison.winner]
        feedback = f"winner: {comparison.winner} ({comparison.magnitude}): {comparison.reasoning}"
        return GraderResult(score, score > 0, feedback, details)

    def _request(
        self,
        context: GradingContext,
        *,
        message: str = "",
        session_id: str = "",
        only_these_tools: bool = False,
    ) -> JudgeRequest:
        from waza_engine.judges.votes import VOTE_TOOLS

        return JudgeRequest(
            message=message,
            tools=VOTE_TOOLS,
            model=self.model or context.judge_model,
            reasoning_effort=self.reasoning_effort or context.judge_reasoning_effort,
            session_id=session_id,
            workspace_dir=str(context.workspace_dir or ""),
            timeout_seconds=_timeout_seconds(os.environ.get(_TIMEOUT_VARIABLE, "")),
            only_these_tools=only_these_tools,
        )

    def _is_exact(self, context: GradingContext) -> bool:
        return context.output_present and self.mode in {"", "independent"} and not self.continue_session

    def _exact_message(self, context: GradingContext, rubric: Rubric | None) -> str:
        """Return the newest message format: task and output unchanged (docs/reference/waza-graders.md, section 5.6.2)."""
        body = self.prompt or (rubric.body if rubric else "")
        task = f"\n## Task input\n{context.prompt}\n" if context.prompt else ""
        return f"{body}\n\n---\n{task}\n## Candidate output\n{context.output}\n"

    def _message(self, context: GradingContext, rubric: Rubric | None) -> str:
        """Return the older message format: only the prompt, or a rubric with task and output if available."""
        if rubric is None:
            return self.prompt
        if self.continue_session or not trim(context.output):
            return rubric.body
        sections = [("Task input", context.prompt or ""), ("Candidate output", context.output)]
        shown = [f"## {title}\n\n{trim(text)}" for title, text in sections if trim(text)]
        return "\n\n".join([rubric.body, "---", *shown])


def _timeout_seconds(setting: str) -> float:
    """Return the time limit from the environment, a Go duration or whole seconds; 120 s by default."""
    text = setting.strip()
    seconds = float(text) if text.isascii() and text.isdigit() else duration_seconds(text)
    return seconds if seconds and seconds > 0 else _TIMEOUT_SECONDS


def _may_be_read(rubric: str, scope: Scope) -> bool:
    """Whether a check may read the rubric: only files in the directory where runs start."""
    start = scope.process_dir
    try:
        return start is not None and real_path(start / rubric).is_relative_to(real_path(start))
    except (OSError, RuntimeError, ValueError):
        # A NUL, a name that is too long, a loop of links: loading reports the error without reading a file.
        return True
