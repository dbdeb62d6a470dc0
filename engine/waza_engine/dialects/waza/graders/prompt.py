"""A language model judges the result.

## What it looks at
The judge gets your `prompt` or a rubric. Whether it also sees the task and the agent's output depends on the waza
version: up to 0.35 it sees neither, unless it looks into the workspace or continues the agent's session; with a
`rubric`, and in newer versions, both are attached.

## Score
The judge votes by calling tools. The score is the share of passing votes: three passes and one fail give
3 / 4 = 0.75. Passed means at least one pass and no fail. In pairwise mode the output is compared with that of a run
without the skill, in both orders: better = 1.0, tie or contradiction = 0.5, worse = 0.0; better and tie pass.

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
- A judge that votes for nothing gives score 0.0, not passed.
- When the judge cannot be reached before it has voted, the whole run becomes an error.
- `continue_session` needs the session of the agent: recordings of other executors have none.
- The name may not be empty.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, JsonValue

from waza_engine.dialects.waza.rules.legacy_shape import refused_shape
from waza_engine.graders.base import ConfigError, GradeError, Grader, GraderResult, GradingContext, Scope
from waza_engine.judges.pairwise import compared
from waza_engine.judges.rubrics.rubric import (
    Rubric,
    RubricError,
    built_in_names,
    is_rubric_path,
    load_rubric,
    rubric_path,
)
from waza_engine.judges.votes import VOTE_TOOLS, counted, hold_turn
from waza_engine.lib.go.text import trim
from waza_engine.lib.spelling import nearest
from waza_engine.lib.timestamps import duration_seconds
from waza_engine.model.fields import Flag, Text
from waza_engine.model.findings import Finding, Fix, RemoveKey, SetValue
from waza_engine.model.judge import Judge, JudgeError, JudgeRequest
from waza_engine.model.schema_marks import foreign_keys, marks
from waza_engine.rules.unusable_rubric import UNUSABLE_RUBRIC

_TIMEOUT_VARIABLE = "WAZA_PROMPT_GRADER_TIMEOUT"
_TIMEOUT_SECONDS = 120.0
_PLANNED = ("threshold", "score_type", "response_format")
"""Options that the documentation had for a while, and no version of waza."""
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
        description="What the judge is told. Ask it to vote with set_waza_grade_pass or set_waza_grade_fail.",
        examples=["Does the answer name the cause? Vote with the tools you have."],
    )
    rubric: Text = Field(
        default="",
        description="A built-in rubric, or the path of a rubric file: one that ends in .md or contains a slash.",
        examples=["groundedness"],
        json_schema_extra={
            **marks(since="0.36", reference="rubric"),
            "x-suggestions": list[JsonValue](built_in_names()),
            "x-or-path": {"base": "process", "kind": "file"},
        },
    )
    model: Text = Field(
        default="",
        description="The judge model. Left out: the run's judge model, then the model of the eval.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    continue_session: Flag = Field(
        default=False,
        description="Ask in the agent's own session, so that the judge knows all that happened.",
        examples=[True],
    )
    mode: Text = Field(
        default="",
        description="How to judge. Left out, the output is judged by itself.",
        examples=["pairwise"],
        json_schema_extra=marks(
            values={
                "independent": "The output by itself.",
                _PAIRWISE: "Against the output of a run without the skill, when there is one.",
            }
        ),
    )
    reasoning_effort: Text = Field(
        default="",
        description="How much the judge model thinks.",
        examples=["medium"],
        json_schema_extra=marks(
            since="0.36",
            values={
                "low": "Least reasoning, fastest answers.",
                "medium": "Some reasoning.",
                "high": "Much reasoning.",
                "xhigh": "Very much reasoning.",
                "max": "As much reasoning as the model offers.",
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
        given = [it for it in _PLANNED if config.get(it) not in (None, [], {})]
        if given:
            named = ", ".join(f"'{it}'" for it in given)
            fix = Fix(f"Remove {named}", tuple(RemoveKey((it,)) for it in given))
            message = f"'{given[0]}' was only ever planned, and runs refuse it: the judge of a 'prompt' grader says pass or fail"
            yield refused_shape((given[0],), message, on="key", fixes=[fix])

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if not self._names_rubric() or (is_rubric_path(self.rubric) and not _may_be_read(self.rubric, scope)):
            return
        try:
            load_rubric(self.rubric, scope.process_dir or Path())
        except RubricError as error:
            changes = [(it, SetValue(("rubric",), it)) for it in nearest(self.rubric, built_in_names())]
            fixes = [Fix(f"Change to '{name}'", (change,)) for name, change in changes]
            yield UNUSABLE_RUBRIC.at(("rubric",), str(error), refused=True, fixes=fixes)

    def grade(self, context: GradingContext) -> GraderResult:
        rubric = self._rubric(context.process_dir)
        if context.judge is None:
            raise GradeError("There is no judge to ask: configure one, or run without prompt graders")
        try:
            if self.mode == _PAIRWISE and context.baseline_output:
                return self._pairwise(context.judge, context, rubric)
            return self._independent(context.judge, context, rubric)
        except JudgeError as error:
            raise GradeError(f"The judge gave no verdict: {error}") from error

    def _names_rubric(self) -> bool:
        # A blank name counts as none, but without a prompt there is then nothing to ask.
        return bool(trim(self.rubric)) or not self.prompt

    def _rubric(self, process_dir: Path) -> Rubric | None:
        try:
            return load_rubric(self.rubric, process_dir) if self._names_rubric() else None
        except RubricError as error:
            raise ConfigError(str(error)) from error

    def _independent(self, judge: Judge, context: GradingContext, rubric: Rubric | None) -> GraderResult:
        if self.continue_session and not context.session_id:
            raise GradeError("There is no session to continue: the run recorded none")
        exact = self._is_exact(context)
        message = self._exact_message(context, rubric) if exact else self._message(context, rubric)
        session = context.session_id if self.continue_session else ""
        request = self._request(context, message=message, session_id=session, only_these_tools=exact)
        turn = hold_turn(judge, request)
        votes = counted(turn.calls)
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
        feedback = ";".join(votes.fails) or "All prompts passed"
        return GraderResult(votes.score, votes.passed, feedback, details)

    def _pairwise(self, judge: Judge, context: GradingContext, rubric: Rubric | None) -> GraderResult:
        standard = self.prompt or (rubric.body if rubric else "")
        request = self._request(context)
        comparison = compared(judge, request, standard, context.baseline_output, context.output)
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
        """The newest form: task and output exactly as they are (docs/reference/waza-graders.md, section 5.6.2)."""
        body = self.prompt or (rubric.body if rubric else "")
        task = f"\n## Task input\n{context.prompt}\n" if context.prompt else ""
        return f"{body}\n\n---\n{task}\n## Candidate output\n{context.output}\n"

    def _message(self, context: GradingContext, rubric: Rubric | None) -> str:
        """The older form: the prompt alone, or a rubric with what there is of task and output."""
        if rubric is None:
            return self.prompt
        if self.continue_session or not trim(context.output):
            return rubric.body
        sections = [("Task input", context.prompt or ""), ("Candidate output", context.output)]
        shown = [f"## {title}\n\n{trim(text)}" for title, text in sections if trim(text)]
        return "\n\n".join([rubric.body, "---", *shown])


def _timeout_seconds(setting: str) -> float:
    """The time limit that the environment sets: a Go duration or whole seconds; otherwise 120 s."""
    text = setting.strip()
    seconds = float(text) if text.isascii() and text.isdigit() else duration_seconds(text)
    return seconds if seconds and seconds > 0 else _TIMEOUT_SECONDS


def _may_be_read(rubric: str, scope: Scope) -> bool:
    """A check looks into no file outside the directory that runs start in."""
    start = scope.process_dir
    try:
        return start is not None and (start / rubric).resolve().is_relative_to(start.resolve())
    except (OSError, RuntimeError, ValueError):
        # A NUL, a name that is too long, a loop of links: loading says what is wrong, without reading anything.
        return True
