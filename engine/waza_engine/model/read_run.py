"""A run as it is read from the results of another tool, before its totals are computed."""

from collections.abc import Mapping
from dataclasses import dataclass

from waza_engine.model.records import TrialRecord
from waza_engine.model.suite import Scoring


@dataclass(frozen=True, slots=True)
class ReadRun:
    """The run. `trials` are by the name of their task; `started_at` is in seconds since 1970."""

    suite_name: str
    trials: Mapping[str, tuple[TrialRecord, ...]]
    executor: str = ""
    model: str = ""
    scoring: Scoring | None = None
    eval_path: str = ""
    started_at: float = 0.0
