"""Checks metrics that the agent or a hook wrote to a file.

## What it looks at
A JSON file with one object: metric names, each with a number, a boolean or a string. If the object has a member
`values`, the metrics are its members, and everything beside it is ignored. The file is looked up in the artifact
directory of the trial first, then in the workspace.

## Score
1 if all assertions hold, otherwise 0. Bounds are inclusive.

## Example
```yaml
type: custom-metrics
config:
  assertions:
    - metric: tests_failed
      equals: 0
    - metric: p95_ms
      max: 250
```

## Watch out
- If the recording does not contain the file, the check cannot be decided: it counts as failed, with status `error`.
- vally documents `equals` and `min`; `max` is our reading. A comparison that we do not know cannot be decided.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema

from waza_engine.dialects.vally.fields import Number, Text, as_list_or_empty
from waza_engine.dialects.vally.formats.model import tolerant
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.files import path_refusals
from waza_engine.dialects.vally.js_text import as_text
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.lib.paths import file_bytes, is_inside
from waza_engine.model.fields import AnyValue, IfGiven
from waza_engine.model.findings import Finding, Fix, InsertKey, Severity
from waza_engine.model.schema_marks import FileModel, marks
from waza_engine.rules.contradictory_checks import CONTRADICTORY_CHECKS
from waza_engine.rules.missing_companion import MISSING_COMPANION

_COMPARISONS = ("equals", "min", "max")


def _metric_value(value: Any) -> Any:
    if not isinstance(value, str | bool | int | float):
        raise ValueError("expected a number, a boolean or a string")  # noqa: TRY004  # pydantic wants ValueError
    return value


MetricValue = Annotated[
    AnyValue, AfterValidator(_metric_value), WithJsonSchema({"type": ["number", "boolean", "string"]})
]


class Assertion(FileModel):
    """One metric and what its value must be."""

    # vally's page is cut off after the first comparisons, so there may be more of them.
    model_config = ConfigDict(extra="allow", json_schema_extra=tolerant())

    metric: Text = Field(min_length=1, description="Name of the metric.", examples=["tests_failed"])
    equals: IfGiven[MetricValue] = Field(
        default=None, description="Exact value: a number, a boolean or a string.", examples=[0]
    )
    min: IfGiven[Number] = Field(default=None, description="Smallest allowed value.", examples=[0.9])
    max: IfGiven[Number] = Field(default=None, description="Largest allowed value.", examples=[250])

    @property
    def unknown(self) -> list[str]:
        """The keys that we do not know."""
        return list(self.model_extra or ())

    def problem(self, metrics: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the comparison that does not hold, and why; None if all hold."""
        if self.metric not in metrics:
            return "metric", f"no metric '{self.metric}'"
        value = metrics[self.metric]
        words = f"{self.metric} is {as_text(value)}"
        if self.equals is not None and not _is_equal(value, self.equals):
            return "equals", f"{words}, not {as_text(self.equals)}"
        if self.min is None and self.max is None:
            return None
        option = "max" if self.min is None else "min"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return option, f"{words}, which is not a number"
        if self.min is not None and value < self.min:
            return "min", f"{words}, at least {self.min:g} expected"
        if self.max is not None and value > self.max:
            return "max", f"{words}, at most {self.max:g} expected"
        return None


class CustomMetricsGrader(VallyGrader):
    type_name = "custom-metrics"
    requires_workspace: ClassVar[bool] = True

    path: Text = Field(
        default="custom_metrics.json",
        min_length=1,
        description="File with the metrics, relative to the artifact directory or the workspace.",
        examples=["reports/metrics.json"],
        json_schema_extra=marks(path=("workspace", "file")),
    )
    assertions: Annotated[list[Assertion], BeforeValidator(as_list_or_empty), Field(min_length=1)] = Field(
        description="Metrics with the values they must have. All must hold.",
        examples=[[{"metric": "tests_failed", "equals": 0}]],
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        yield from path_refusals(self.path)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for index, it in enumerate(self.assertions):
            at = ("assertions", index)
            if all(getattr(it, option) is None for option in _COMPARISONS) and not it.unknown:
                fixes = [Fix(f"Add '{option}'", (InsertKey(at, option, None),)) for option in _COMPARISONS]
                message = f"'{it.metric}' has no limit, so it is not checked. Add 'equals', 'min' or 'max'"
                yield MISSING_COMPANION.at((*at, "metric"), message, severity=Severity.WARNING, fixes=fixes)
            if it.min is not None and it.max is not None and it.min > it.max:
                message = f"No value is at least {it.min:g} and at most {it.max:g}"
                yield CONTRADICTORY_CHECKS.at((*at, "min"), message, severity=Severity.WARNING)

    def grade(self, context: GradingContext) -> GraderResult:
        details: dict[str, Any] = {"path": self.path}
        data = _file(context, self.path)
        if data is None:
            return GraderResult.undecided(f"Cannot tell: the recording has no file '{self.path}'", details)
        try:
            metrics = _metrics(data)
        except ValueError as error:
            feedback = f"'{self.path}' has no metrics: {error}"
            return GraderResult.failed(feedback, details, (FailedCheck(("path",), feedback),))
        details["values"] = metrics
        failures, unknown = [], []
        for index, it in enumerate(self.assertions):
            if problem := it.problem(metrics):
                option, message = problem
                failures.append(FailedCheck(("assertions", index, option), message))
            elif it.unknown or all(getattr(it, option) is None for option in _COMPARISONS):
                unknown.append(it.metric)
        if failures:
            return GraderResult.failed("; ".join(it.message for it in failures), details, tuple(failures))
        if unknown:
            names = ", ".join(unknown)
            return GraderResult.undecided(f"Cannot tell: no known comparison for {names}", details)
        return GraderResult(1.0, True, f"All {len(self.assertions)} assertions hold", details)


def _file(context: GradingContext, path: str) -> bytes | None:
    """Return the content of the file in the artifact directory or the workspace; None if neither was kept."""
    workspace = None if context.workspace_status == "remote" else context.workspace_dir
    for folder in (context.artifact_dir, workspace):
        if folder is not None and (data := _inside(folder, path)) is not None:
            return data
    return context.captured_files.get(path)


def _inside(folder: Path, path: str) -> bytes | None:
    """Return the content of a file; None if it does not exist or is outside of the folder, links resolved."""
    return file_bytes(folder / path, anywhere=True) if is_inside(folder / path, folder) else None


def _metrics(data: bytes) -> dict[str, Any]:
    """Return the metrics in a file.

    Raises:
        ValueError: the file is not a JSON object.

    """
    try:
        found = json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    values = found.get("values", found) if isinstance(found, dict) else None
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004  # callers expect ValueError
    return values


def _is_equal(value: Any, wanted: Any) -> bool:
    """Whether two values are equal in JavaScript: `true` is not 1."""
    return isinstance(value, bool) is isinstance(wanted, bool) and value == wanted
