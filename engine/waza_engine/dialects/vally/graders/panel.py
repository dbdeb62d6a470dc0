"""Several judge models score the trial, and their scores are aggregated.

## What it looks at
Each judge sees what the judge of a `prompt` grader sees. All judges use the same scale and the same criteria.

## Score
The judges' scores, each from 0 to 1, are combined by `aggregation`; a result of at least `threshold` passes. With
`majority`, the score is the share of judges that pass the trial, and more than half must. With `unanimous`, the score is
the lowest one, and all judges must pass the trial. Two judges with 0.75 and 0.25 have a mean of 0.5. A judge without a
verdict is left out. With `criteria`, a judge's score is the weighted mean of its criterion scores, and the panel fails if
the mean score of a required criterion is below its `pass_threshold`.

## Example
```yaml
type: panel
config:
  models: [claude-sonnet-4.6, gpt-5.2, gemini-3-pro]
  aggregation: median
```

## Watch out
- Each judge costs one call per trial.
- vally documents `majority`, `mean`, `median` and `min`; `unanimous` is in use, and `max` is our own.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import fmean, median
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.fields import Flag, Number, Text, as_list_or_empty
from waza_engine.dialects.vally.graders._shared.judging import JudgeGrader, judge_trial
from waza_engine.graders.base import Criterion, GraderResult, GradingContext, Scope
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding
from waza_engine.model.results.consumption import added_usage
from waza_engine.model.results.threshold import reaches
from waza_engine.model.schema_marks import FileModel, marks
from waza_engine.rules.panel_of_one import PANEL_OF_ONE

_AGGREGATIONS = {
    "mean": "Mean of the scores.",
    "median": "Median of the scores.",
    "min": "Lowest score: each judge must reach the threshold.",
    "max": "Highest score: one judge is enough.",
    "majority": "Share of judges that pass the trial; more than half must.",
    "unanimous": "Lowest score; all judges must pass the trial.",
}
_MAX_PARALLEL_CALLS = 8


class PanelModel(FileModel):
    """A judge of a panel. A string is short for `model`."""

    model_config = ConfigDict(json_schema_extra={"type": ["string", "object"]})

    model: Text = Field(min_length=1, description="Judge model.", examples=["claude-sonnet-4.6"])
    reasoning_effort: Text = Field(
        default="", description="Reasoning effort of the model.", examples=["high"]
    )


class PanelCriterion(FileModel):
    """A criterion that all judges score, in addition to `prompt` and instead of the rubric."""

    name: Text = Field(min_length=1, description="Name in the results.", examples=["no-secrets"])
    description: Text = Field(default="", description="What must hold.", examples=["No token is shown."])
    weight: Number = Field(default=1.0, ge=0, description="Weight in a judge's score.", examples=[3])
    required: Flag = Field(
        default=True, description="Whether a score below `pass_threshold` fails the panel.", examples=[False]
    )
    pass_threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=None, description="Lowest mean score, from 0 to 1, that passes.", examples=[0.75]
    )


def _as_model(value: Any) -> Any:
    return {"model": value} if isinstance(value, str) else value


class PanelGrader(JudgeGrader):
    type_name = "panel"

    models: Annotated[
        list[Annotated[PanelModel, BeforeValidator(_as_model)]],
        BeforeValidator(as_list_or_empty),
        Field(min_length=1),
    ] = Field(description="Judge models.", examples=[["claude-sonnet-4.6", "gpt-5.2"]])
    criteria: Annotated[list[PanelCriterion], BeforeValidator(as_list_or_empty)] = Field(
        default=[],
        description="Weighted criteria.",
        examples=[[{"name": "no-secrets", "description": "No token is shown.", "weight": 3}]],
    )
    overall_threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=None, description="Alias of `threshold`.", examples=[0.75]
    )
    aggregation: Text = Field(
        default="mean",
        description="How the scores are combined.",
        examples=["median"],
        json_schema_extra={**marks(values=_AGGREGATIONS), "x-open": "warning"},
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        # Only `panel` has weighted criteria and `overall_threshold`, so one judge makes sense with these.
        if len(self.models) == 1 and not self.criteria and self.overall_threshold is None:
            yield PANEL_OF_ONE.at(
                ("models",), "A panel with one judge works like a 'prompt' grader with 'model'"
            )

    def grade(self, context: GradingContext) -> GraderResult:
        most_calls = getattr(context.judge, "at_once", _MAX_PARALLEL_CALLS)
        with ThreadPoolExecutor(min(most_calls, len(self.models))) as pool:
            verdicts = list(pool.map(lambda it: self._ask(context, it), self.models))
        names = [it.model for it in self.models]
        given = [it for it in verdicts if it.status != "error"]
        passing = sum(it.passed for it in given)
        score, passed = self._aggregate([it.score for it in given], passing) if given else (0.0, False)
        missed = self._missed_criteria(verdicts)
        passed = passed and not missed
        usage = added_usage(it.details["usage"] for it in given if it.details and "usage" in it.details)
        if usage:
            usage["model"] = ", ".join(names)
        failed = [model for model, it in zip(names, verdicts, strict=True) if it.status == "error"]
        notes = f"; without a verdict: {', '.join(failed)}" if failed else ""
        notes += f"; below its threshold: {', '.join(missed)}" if missed else ""
        return GraderResult(
            score,
            passed,
            f"{passing} of {len(given)} judges pass the trial, {self.aggregation} {score:.2f}{notes}",
            {
                "models": names,
                "aggregation": self.aggregation,
                "scoring": self.scoring,
                "threshold": self._pass_score,
                "spread": max((it.score for it in given), default=0.0)
                - min((it.score for it in given), default=0.0),
                **({"usage": usage} if usage else {}),
            },
            status="error" if len(failed) == len(verdicts) else "",
            kind="llm",
            infrastructure=not given and any(it.infrastructure for it in verdicts),
            criteria=tuple(
                Criterion(model, it.score, it.passed, it.feedback, it.details or {}, it.status, it.criteria)
                for model, it in zip(names, verdicts, strict=True)
            ),
        )

    @property
    def _pass_score(self) -> float:
        return self.threshold if self.overall_threshold is None else self.overall_threshold

    def _ask(self, context: GradingContext, judge: PanelModel) -> GraderResult:
        criteria = tuple(
            f"{it.name}: {it.description}" if it.description else it.name for it in self.criteria
        )
        question = replace(self.question, threshold=self._pass_score, criteria=criteria)
        result = judge_trial(context, question, judge.model, judge.reasoning_effort)
        return self._with_weights(result) if self.criteria and not result.status else result

    def _with_weights(self, result: GraderResult) -> GraderResult:
        """Return the verdict with the weighted criteria score; unchanged if the judge omitted a criterion."""
        scores = [
            next((it.score for it in result.criteria if _is_about(it, criterion)), None)
            for criterion in self.criteria
        ]
        total = sum(it.weight for it in self.criteria)
        if None in scores or not total:
            return result
        pairs = [
            (it.weight, score) for it, score in zip(self.criteria, scores, strict=True) if score is not None
        ]
        score = sum(weight * it for weight, it in pairs) / total
        return replace(result, score=score, passed=reaches(score, self._pass_score))

    def _missed_criteria(self, verdicts: list[GraderResult]) -> list[str]:
        """Return the required criteria whose mean score over all judges is below their threshold."""
        missed: list[str] = []
        for criterion in self.criteria:
            scores = [it.score for verdict in verdicts for it in verdict.criteria if _is_about(it, criterion)]
            if criterion.required and criterion.pass_threshold is not None and scores:
                missed += [] if reaches(fmean(scores), criterion.pass_threshold) else [criterion.name]
        return missed

    def _aggregate(self, scores: list[float], passing: int) -> tuple[float, bool]:
        match self.aggregation:
            case "majority":
                return passing / len(scores), passing > len(scores) / 2
            case "unanimous":
                return min(scores), passing == len(scores)
            case name:
                functions: dict[str, Callable[[list[float]], float]] = {
                    "median": median,
                    "min": min,
                    "max": max,
                }
                score = functions.get(name, fmean)(scores)
                return score, reaches(score, self._pass_score)


def _is_about(graded: Criterion, criterion: PanelCriterion) -> bool:
    """Whether the judge graded this criterion; its name may be followed by the description."""
    return graded.name == criterion.name or graded.name.startswith(f"{criterion.name}:")
