"""A language model scores the output by a rubric: `prompt` as the documentation had it for a while.

## What it looks at
The task's prompt, the agent's output and the rubric.

## Score
With `response_format: json` the reply's `overall_score` or `score`, else the mean of its members ending in `_score`,
else of all its numbers; with `text` the first number in it. `score_type: normalized` takes 1 to 5 points, four points
are (4 - 1) / 4 = 0.75; `raw` takes 0 to 1. Passed when the score reaches `threshold` and the reply's `passed`, if
there is one, is not false. One of the eight rubric templates brings its own way to the score.

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
- No version of waza ever had this: `prompt` knows neither `threshold` nor `score_type` nor `response_format`.
- A reply without a usable score is a failed check with score 0.0.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.judges.replies import first_number, json_object, score_in
from waza_engine.judges.rubrics.rubric import rubric_files, rubric_text
from waza_engine.judges.rubrics.template import Template, template_score, templates
from waza_engine.model.fields import Number, Text
from waza_engine.model.judge import JudgeError, JudgeRequest
from waza_engine.model.schema_marks import marks


class RubricPromptGrader(OlderGrader):
    type_name = "prompt"
    generations: ClassVar[frozenset[str]] = frozenset(["DOC"])
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True

    rubric: Text = Field(
        min_length=1,
        description="What the points mean: a text, the path of a file with it, or the name of a template.",
        examples=["task_completion"],
    )
    model: Text = Field(default="gpt-4o-mini", description="The judge model.", examples=["gpt-4o-mini"])
    threshold: Number = Field(
        default=0.75, description="The score from which the check passes.", examples=[0.75]
    )
    score_type: Text = Field(
        default="normalized",
        description="What the judge's number means.",
        examples=["normalized"],
        json_schema_extra=marks(values={"normalized": "Points of 1 to 5.", "raw": "A score of 0 to 1."}),
    )
    response_format: Text = Field(
        default="json",
        description="What the judge answers.",
        examples=["json"],
        json_schema_extra=marks(values={"json": "One JSON object.", "text": "A text with a number."}),
    )

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        return rubric_files(config.get("rubric"), process_dir)

    def grade(self, context: GradingContext) -> GraderResult:
        if context.judge is None:
            raise GradeError("There is no judge to ask: configure one, or run without prompt graders")
        template = templates().get(self.rubric)
        body = template.body() if template else rubric_text(self.rubric, context.process_dir)
        message = f"{body}\n\n---\n\n## Task input\n{context.prompt or ''}\n\n## Candidate output\n{context.output}\n"
        request = JudgeRequest(message, model=self.model or context.judge_model, only_these_tools=True)
        try:
            turn = context.judge.turn(request)
        except JudgeError as error:
            raise GradeError(f"The judge gave no verdict: {error}") from error
        if turn.error:
            raise GradeError(f"The judge gave no verdict: {turn.error}")
        return self._verdict(turn.text, template)

    def _verdict(self, text: str, template: Template | None) -> GraderResult:
        reply = json_object(text) or {}
        score = template_score(template.score_normalization, reply) if template else self._score(text, reply)
        if score is None or not 0.0 <= score <= 1.0:
            return GraderResult.failed(f"The judge's reply holds no usable score: {text[:200]}")
        passed = score >= self.threshold and reply.get("passed") is not False
        reason = reply.get("explanation", reply.get("reasoning", ""))
        details: dict[str, Any] = {"response": text, "threshold": self.threshold}
        return GraderResult(score, passed, reason if isinstance(reason, str) else "", details)

    def _score(self, text: str, reply: dict[str, Any]) -> float | None:
        number = first_number(text) if self.response_format == "text" else score_in(reply)
        if number is None or self.score_type == "raw":
            return number
        return (number - 1) / 4
