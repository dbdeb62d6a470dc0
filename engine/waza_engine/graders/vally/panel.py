"""Several judge models give points, and their scores are put together.

## What it looks at
Each judge sees what the judge of a `prompt` grader sees, and gives points on the same scale by the same criteria.

## Score
`aggregation` of the judges' scores from 0 to 1; `threshold` is what passes. With `majority` the score is the share of
judges that pass, and more than half must. Two judges with 0.75 and 0.25 give a mean of 0.5. A judge without a verdict
counts as 0.

## Example
```yaml
type: panel
config:
  models: [claude-sonnet-4.6, gpt-5.2, gemini-3-pro]
  aggregation: median
```

## Watch out
- Every judge costs a call for each trial.
- vally documents `mean` only; the other ways to aggregate are ours.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean, median
from typing import Annotated

from pydantic import Field

from waza_engine.findings import Finding
from waza_engine.formats.model import each, marks
from waza_engine.graders.base import Criterion, GraderResult, GradingContext, Scope
from waza_engine.rules.panel_of_one import PANEL_OF_ONE
from waza_engine.vally.fields import Text, Texts
from waza_engine.vally.judge_options import JudgeGrader
from waza_engine.vally.judging import judged, passes

_WAYS = {
    "mean": "The mean of the scores.",
    "median": "The score in the middle.",
    "min": "The lowest score: all judges must agree.",
    "max": "The highest score: one judge is enough.",
    "majority": "The share of the judges that pass; more than half must.",
}
_AT_ONCE = 8


class PanelGrader(JudgeGrader):
    type_name = "panel"

    models: Annotated[Texts, Field(min_length=1)] = Field(
        description="The judge models.",
        examples=[["claude-sonnet-4.6", "gpt-5.2"]],
        json_schema_extra=each(reference="model"),
    )
    aggregation: Text = Field(
        default="mean",
        description="How the scores are put together.",
        examples=["median"],
        json_schema_extra={**marks(values=_WAYS), "x-open": "warning"},
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        if len(self.models) == 1:
            yield PANEL_OF_ONE.at(("models",), "A panel of one judge is a 'prompt' grader with its 'model'")

    def grade(self, context: GradingContext) -> GraderResult:
        at_once = getattr(context.judge, "at_once", _AT_ONCE)
        with ThreadPoolExecutor(min(at_once, len(self.models))) as pool:
            verdicts = list(pool.map(lambda it: judged(context, self.question, it), self.models))
        scores = [it.score for it in verdicts]
        passing = sum(it.passed for it in verdicts)
        score, passed = self._together(scores, passing)
        failed = [model for model, it in zip(self.models, verdicts, strict=True) if it.status == "error"]
        without = f"; without a verdict: {', '.join(failed)}" if failed else ""
        return GraderResult(
            score,
            passed,
            f"{passing} of {len(verdicts)} judges pass it, {self.aggregation} {score:.2f}{without}",
            {
                "models": self.models,
                "aggregation": self.aggregation,
                "scoring": self.scoring,
                "threshold": self.threshold,
            },
            status="error" if len(failed) == len(verdicts) else "",
            kind="llm",
            criteria=tuple(
                Criterion(model, it.score, it.passed, it.feedback, it.details or {}, it.status, it.criteria)
                for model, it in zip(self.models, verdicts, strict=True)
            ),
        )

    def _together(self, scores: list[float], passing: int) -> tuple[float, bool]:
        if self.aggregation == "majority":
            return passing / len(scores), passing > len(scores) / 2
        ways: dict[str, Callable[[list[float]], float]] = {"median": median, "min": min, "max": max}
        score = ways.get(self.aggregation, fmean)(scores)
        return score, passes(score, self.threshold)
