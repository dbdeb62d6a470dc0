"""Several judge models give points, and their scores are put together.

## What it looks at
Each judge sees what the judge of a `prompt` grader sees, and gives points on the same scale by the same criteria.

## Score
`aggregation` of the judges' scores from 0 to 1; `threshold` is what passes. With `majority` the score is the share of
judges that pass, and more than half must; with `unanimous` all must, and the lowest score counts. Two judges with 0.75
and 0.25 give a mean of 0.5. A judge without a verdict counts as 0. With `criteria`, the score of a judge is the mean of
its scores for them by their weights, and a required criterion whose mean is below its `pass_threshold` fails the panel.

## Example
```yaml
type: panel
config:
  models: [claude-sonnet-4.6, gpt-5.2, gemini-3-pro]
  aggregation: median
```

## Watch out
- Every judge costs a call for each trial.
- vally documents `mean`, and `unanimous` is in use; the other ways to aggregate are ours.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import fmean, median
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.fields import Flag, Number, Text, given_list
from waza_engine.dialects.vally.graders._shared.judging import JudgeGrader, judged
from waza_engine.graders.base import Criterion, GraderResult, GradingContext, Scope
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import FileModel, marks
from waza_engine.model.threshold import reaches
from waza_engine.rules.panel_of_one import PANEL_OF_ONE

_WAYS = {
    "mean": "The mean of the scores.",
    "median": "The score in the middle.",
    "min": "The lowest score: all judges must agree.",
    "max": "The highest score: one judge is enough.",
    "majority": "The share of the judges that pass; more than half must.",
    "unanimous": "The lowest score; all judges must pass it.",
}
_AT_ONCE = 8


class PanelModel(FileModel):
    """A judge of a panel. A text is short for its `model`."""

    model_config = ConfigDict(json_schema_extra={"type": ["string", "object"]})

    model: Text = Field(min_length=1, description="The judge model.", examples=["claude-sonnet-4.6"])
    reasoning_effort: Text = Field(default="", description="How much it thinks.", examples=["high"])


class PanelCriterion(FileModel):
    """A criterion that all judges give points for, beside the `prompt` and instead of the rubric."""

    name: Text = Field(min_length=1, description="Its name in results.", examples=["no-secrets"])
    description: Text = Field(default="", description="What must hold.", examples=["No token is shown."])
    weight: Number = Field(default=1.0, ge=0, description="Its share in a judge's score.", examples=[3])
    required: Flag = Field(
        default=True, description="Whether missing its `pass_threshold` fails the panel.", examples=[False]
    )
    pass_threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=None, description="The score, from 0 to 1, that it needs.", examples=[0.75]
    )


def _model(value: Any) -> Any:
    return {"model": value} if isinstance(value, str) else value


class PanelGrader(JudgeGrader):
    type_name = "panel"

    models: Annotated[
        list[Annotated[PanelModel, BeforeValidator(_model)]], BeforeValidator(given_list), Field(min_length=1)
    ] = Field(description="The judge models.", examples=[["claude-sonnet-4.6", "gpt-5.2"]])
    criteria: Annotated[list[PanelCriterion], BeforeValidator(given_list)] = Field(
        default=[],
        description="Criteria with weights.",
        examples=[[{"name": "no-secrets", "description": "No token is shown.", "weight": 3}]],
    )
    overall_threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=None, description="Another name of `threshold`.", examples=[0.75]
    )
    aggregation: Text = Field(
        default="mean",
        description="How the scores are put together.",
        examples=["median"],
        json_schema_extra={**marks(values=_WAYS), "x-open": "warning"},
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        # Only a panel takes criteria with weights, and a threshold of that other name: these have a reason to be one.
        if len(self.models) == 1 and not self.criteria and self.overall_threshold is None:
            yield PANEL_OF_ONE.at(("models",), "A panel of one judge is a 'prompt' grader with its 'model'")

    def grade(self, context: GradingContext) -> GraderResult:
        at_once = getattr(context.judge, "at_once", _AT_ONCE)
        with ThreadPoolExecutor(min(at_once, len(self.models))) as pool:
            verdicts = list(pool.map(lambda it: self._judged(context, it), self.models))
        names = [it.model for it in self.models]
        passing = sum(it.passed for it in verdicts)
        score, passed = self._together([it.score for it in verdicts], passing)
        missed = self._missed(verdicts)
        passed = passed and not missed
        failed = [model for model, it in zip(names, verdicts, strict=True) if it.status == "error"]
        noted = f"; without a verdict: {', '.join(failed)}" if failed else ""
        noted += f"; below its threshold: {', '.join(missed)}" if missed else ""
        return GraderResult(
            score,
            passed,
            f"{passing} of {len(verdicts)} judges pass it, {self.aggregation} {score:.2f}{noted}",
            {
                "models": names,
                "aggregation": self.aggregation,
                "scoring": self.scoring,
                "threshold": self._needed,
            },
            status="error" if len(failed) == len(verdicts) else "",
            kind="llm",
            criteria=tuple(
                Criterion(model, it.score, it.passed, it.feedback, it.details or {}, it.status, it.criteria)
                for model, it in zip(names, verdicts, strict=True)
            ),
        )

    @property
    def _needed(self) -> float:
        return self.threshold if self.overall_threshold is None else self.overall_threshold

    def _judged(self, context: GradingContext, judge: PanelModel) -> GraderResult:
        told = tuple(f"{it.name}: {it.description}" if it.description else it.name for it in self.criteria)
        question = replace(self.question, threshold=self._needed, criteria=told)
        result = judged(context, question, judge.model, judge.reasoning_effort)
        return self._weighed(result) if self.criteria and not result.status else result

    def _weighed(self, result: GraderResult) -> GraderResult:
        """The judge's verdict by the weights of the criteria; its own figure where it left one of them out."""
        scores = [
            next((it.score for it in result.criteria if _is_about(it, own)), None) for own in self.criteria
        ]
        total = sum(it.weight for it in self.criteria)
        if None in scores or not total:
            return result
        pairs = [
            (it.weight, score) for it, score in zip(self.criteria, scores, strict=True) if score is not None
        ]
        score = sum(weight * it for weight, it in pairs) / total
        return replace(result, score=score, passed=reaches(score, self._needed))

    def _missed(self, verdicts: list[GraderResult]) -> list[str]:
        """The required criteria that, in the mean of the judges, are below what they need."""
        missed: list[str] = []
        for own in self.criteria:
            scores = [it.score for verdict in verdicts for it in verdict.criteria if _is_about(it, own)]
            if own.required and own.pass_threshold is not None and scores:
                missed += [] if reaches(fmean(scores), own.pass_threshold) else [own.name]
        return missed

    def _together(self, scores: list[float], passing: int) -> tuple[float, bool]:
        match self.aggregation:
            case "majority":
                return passing / len(scores), passing > len(scores) / 2
            case "unanimous":
                return min(scores), passing == len(scores)
            case way:
                ways: dict[str, Callable[[list[float]], float]] = {"median": median, "min": min, "max": max}
                score = ways.get(way, fmean)(scores)
                return score, reaches(score, self._needed)


def _is_about(graded: Criterion, own: PanelCriterion) -> bool:
    """Whether the judge speaks of this criterion: by its name, perhaps with the description."""
    return graded.name == own.name or graded.name.startswith(f"{own.name}:")
