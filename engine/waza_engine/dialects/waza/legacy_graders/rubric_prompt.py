"""Asks a language model to score the output by a rubric: `prompt` as it was documented for a while.

## What it looks at
The task's prompt, the agent's output and the rubric.

## Score
With `response_format: json`, the reply's `overall_score` or `score`; if there is none, the mean of its members ending
in `_score`; otherwise the mean of all its numbers. With `text`, the first number in the reply. `score_type:
normalized` expects 1 to 5 points: four points give (4 - 1) / 4 = 0.75. `raw` expects 0 to 1. The grader passes if the
score is at least `threshold` and the reply does not contain `passed: false`. One of the eight rubric templates
computes its score in its own way.

## Example
```yaml
type: prompt
name: quality
config:
  rubric: Score 5 if the answer is correct and complete, 1 if it is neither.
  threshold: 0.75
  score_type: normalized
```

## Watch out
- No version of waza implements this: `prompt` has no `threshold`, `score_type` or `response_format`.
- A reply without a usable score is a failed check with score 0.0.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.graders.base import GradeError, GraderResult, GradingContext, InfrastructureError
from waza_engine.judges.replies import first_number, json_object, score_in
from waza_engine.judges.rubrics.rubric import RubricError, rubric_files, rubric_text
from waza_engine.judges.rubrics.template import Template, template_score, templates
from waza_engine.model.fields import Number, Text
from waza_engine.model.judge import JudgeError, JudgeMissing, JudgeRequest
from waza_engine.model.schema_marks import marks


class RubricPromptGrader(OlderGrader):
    type_name = "prompt"
    generations: ClassVar[frozenset[str]] = frozenset(["DOC"])
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True

    rubric: Text = Field(
        min_length=1,
        description="The meaning of the points: a text, the path of a file with the text, or the name of a template.",
        examples=["task_completion"],
    )
    model: Text = Field(default="gpt-4o-mini", description="The judge model.", examples=["gpt-4o-mini"])
    threshold: Number = Field(default=0.75, description="Minimum score to pass.", examples=[0.75])
    score_type: Text = Field(
        default="normalized",
        description="Scale of the judge's score.",
        examples=["normalized"],
        json_schema_extra=marks(values={"normalized": "1 to 5 points.", "raw": "A score from 0 to 1."}),
    )
    response_format: Text = Field(
        default="json",
        description="Format of the judge's reply.",
        examples=["json"],
        json_schema_extra=marks(values={"json": "One JSON object.", "text": "A text with a number."}),
    )

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        return rubric_files(config.get("rubric"), process_dir)

    def grade(self, context: GradingContext) -> GraderResult:
        if context.judge is None:
            raise GradeError("No judge is configured: configure one, or run without prompt graders")
        template = templates().get(self.rubric)
        try:
            body = template.body() if template else rubric_text(self.rubric, context.process_dir)
        except RubricError as error:
            raise GradeError(str(error)) from error
        message = f"{body}\n\n---\n\n## Task input\n{context.prompt or ''}\n\n## Candidate output\n{context.output}\n"
        request = JudgeRequest(message, model=self.model or context.judge_model, only_these_tools=True)
        try:
            turn = context.judge.turn(request)
        except JudgeMissing as error:
            raise GradeError(f"The judge gave no verdict: {error}") from error
        except JudgeError as error:
            raise InfrastructureError(f"The judge gave no verdict: {error}") from error
        if turn.error:
            raise InfrastructureError(f"The judge gave no verdict: {turn.error}")
        return self._verdict(turn.text, template)

    def _verdict(self, text: str, template: Template | None) -> GraderResult:
        reply = json_object(text) or {}
        score = template_score(template.score_normalization, reply) if template else self._score(text, reply)
        if score is None or not 0.0 <= score <= 1.0:
            feedback = f"The judge's reply contains no usable score: {text[:200]}"
            return GraderResult(0.0, False, feedback, infrastructure=True)
        passed = score >= self.threshold and reply.get("passed") is not False
        reason = reply.get("explanation", reply.get("reasoning", ""))
        details: dict[str, Any] = {"response": text, "threshold": self.threshold}
        return GraderResult(score, passed, reason if isinstance(reason, str) else "", details)

    def _score(self, text: str, reply: dict[str, Any]) -> float | None:
        number = first_number(text) if self.response_format == "text" else score_in(reply)
        if number is None or self.score_type == "raw":
            return number
        return (number - 1) / 4
