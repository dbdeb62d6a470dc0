"""Read the last metric values that the editor shows beside thresholds."""

from pathlib import Path

import pytest

from waza_engine.model.results.records import TriggerResult
from waza_engine.runs.history import read_metrics
from waza_engine.runs.run_header import RunEnd, RunFrame
from waza_engine.runs.store.store import FILE_NAME, RunStore, StoreError

RIGHT = TriggerResult("explain it", "high", should_trigger=True, did_trigger=True)
WRONG = TriggerResult("what time is it", "high", should_trigger=False, did_trigger=True)
EVAL = Path("/evals/eval.yaml")


def run(
    store: RunStore, run_id: str, *triggers: TriggerResult, status: str = "passed", of: str | None = None
) -> None:
    store.start_run(run_id, EVAL, RunFrame("demo"), started_at=1.0, baseline_of=of)
    store.finish_run(run_id, status, 1.0, RunEnd(triggers=triggers))


def test_the_last_run_that_measured_it_counts(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run(store, "r1", RIGHT, RIGHT)
        run(store, "r2", RIGHT, WRONG, status="failed")
        run(store, "r3")
        run(store, "r4", RIGHT, status="cancelled")
        run(store, "r5", RIGHT, of="r4")
    assert read_metrics(tmp_path, EVAL) == {"trigger_accuracy": 0.5}
    assert read_metrics(tmp_path, Path("/evals/other.yaml")) == {}


def test_without_a_store_there_are_no_metrics(tmp_path: Path) -> None:
    assert read_metrics(tmp_path, EVAL) == {}
    assert list(tmp_path.iterdir()) == []


def test_an_unreadable_store_raises_a_store_error(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("no database" * 1000, encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be read"):
        read_metrics(tmp_path, EVAL)
