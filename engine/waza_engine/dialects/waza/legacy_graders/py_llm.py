"""Asks a language model for 1 to 5 points according to a rubric.

## What it looks at
Name, description and prompt of the task, the output, and the rubric.

## Score
(points - 1) / 4: four points give 0.75. The grader passes if the score is at least `threshold`. The model's own
opinion about passing does not count.

## Example
```yaml
type: llm
name: quality
rubric: |
  Score 5 if the answer is correct and complete, 1 if it is neither.
config:
  threshold: 0.75
```

## Watch out
- The current type is `prompt`.
- If the rubric does not start with `Score` and is the path of a file, it is read from that file.
- If the model cannot be reached, the check fails with score 0.0.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.python import PyGrader, require_unit_score
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.judges.replies import points_of, reasoning_of, reply_mapping, score_of_points
from waza_engine.judges.rubrics.rubric import RubricError, rubric_files, rubric_text
from waza_engine.model.fields import AnyValue
from waza_engine.model.findings import Change, MoveKey, RemoveKey, SetValue
from waza_engine.model.judge import JudgeError, JudgeMissing

_MODEL = "gpt-4o-mini"
_RUBRIC = """Score the answer from 1 to 5:
1 - wrong or missing
2 - mostly wrong, with few usable parts
3 - partly right, important parts are missing
4 - right, with small gaps or flaws
5 - right, complete and well made
Look at correctness first, then at completeness, then at quality."""
_REPLY_WITHOUT_CLIENT = {"score": 4, "reasoning": "No judge is configured: a fixed score is used"}


class PyLlmGrader(PyGrader):
    type_name = "llm"
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True
    successor: ClassVar[str] = "prompt"
    outdated: ClassVar[str] = "'llm' is from older versions. Use 'prompt', whose judge votes pass or fail"

    model: AnyValue = Field(
        default=_MODEL,
        description="The judge model.",
        examples=["gpt-4o"],
        json_schema_extra={"type": "string"},
    )
    rubric: AnyValue = Field(
        default="",
        description="The meaning of the points: a text, or the path of a file with the text.",
        examples=["Score 5 if the answer is correct."],
        json_schema_extra={"type": "string"},
    )
    threshold: AnyValue = Field(
        default=0.75,
        description="Minimum score to pass.",
        examples=[0.75],
        json_schema_extra={"type": "number", "minimum": 0, "maximum": 1},
    )

    @classmethod
    def conversion(cls, entry: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Change, ...]:  # noqa: ARG003  # the options were next to `type`
        """Turn the rubric into the prompt, unless it may be a file name. The threshold has no counterpart."""
        config = entry.get("config") or {}
        rubric = entry.get("rubric")
        if (
            not isinstance(rubric, str)
            or _is_like_path(rubric)
            or not isinstance(config, Mapping)
            or set(config) - {"threshold"}
        ):
            return ()
        moves = {"rubric": "prompt", "model": "model"}
        option_moves = (MoveKey((key,), ("config", name)) for key, name in moves.items() if entry.get(key))
        removals = (RemoveKey(("config", it)) for it in config)
        return (SetValue(("type",), cls.successor), *removals, *option_moves)

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:
        return rubric_files(config.get("rubric"), process_dir)

    def grade(self, context: GradingContext) -> GraderResult:
        if context.judge is None:
            raise GradeError("No judge is configured: configure one, or run without llm graders")
        rubric = _rubric_text(self.rubric, context.process_dir)
        model = self.model if isinstance(self.model, str) else context.judge_model
        try:
            reply = context.judge.reply(_message(context, rubric), model)
        except JudgeMissing:
            reply = _REPLY_WITHOUT_CLIENT
        except JudgeError as error:
            feedback = f"The judge gave no verdict: {error}"
            return GraderResult(0.0, False, feedback, type_name="llm", infrastructure=True)
        points = points_of(reply_mapping(reply))
        score = score_of_points(points)
        details = {"raw_score": points, "model": model or None, "rubric_used": rubric[:100]}
        feedback = reasoning_of(reply_mapping(reply))
        return require_unit_score(
            GraderResult(score, score >= _threshold(self.threshold), feedback, details, "llm")
        )


def _is_like_path(rubric: str) -> bool:
    return bool(PurePath(rubric).suffix) and not any(it.isspace() for it in rubric)


def _threshold(value: Any) -> float:
    if not isinstance(value, (int, float)):
        raise GradeError("'threshold' must be a number")
    return value


def _rubric_text(rubric: Any, process_dir: Path) -> str:
    if not rubric:
        return _RUBRIC
    if not isinstance(rubric, str):
        raise GradeError("'rubric' must be a string or the path of a file")
    if rubric.startswith("Score"):
        return rubric
    try:
        return rubric_text(rubric, process_dir)
    except RubricError as error:
        raise GradeError(str(error)) from error


def _message(context: GradingContext, rubric: str) -> str:
    task = context.task
    return (
        "You judge the work of an AI agent.\n\n"
        f"Task: {task.get('name', '')}\n{task.get('description', '')}\n\n"
        f"Prompt:\n{context.prompt or ''}\n\nOutput:\n{context.output}\n\nRubric:\n{rubric}\n\n"
        'Answer with one JSON object: {"score": 1 to 5, "reasoning": "why", "passed": true or false}'
    )
