"""What the metrics of an eval came to the last time, for showing it beside their thresholds. Read only."""

import json
from collections.abc import Mapping
from pathlib import Path

from waza_engine.paths import resolved
from waza_engine.runs.records import TriggerResult
from waza_engine.runs.store import FILE_NAME
from waza_engine.runs.store_reading import reading
from waza_engine.runs.triggers import ACCURACY, trigger_metrics

_LAST = (
    "SELECT ending FROM runs WHERE eval_path = ? AND baseline_of IS NULL AND status IN ('passed', 'failed')"
    """ AND instr(ending, '"did_trigger"') > 0 ORDER BY rowid DESC LIMIT 1"""
)


def read_metrics(store_dir: Path, eval_path: Path) -> Mapping[str, float]:
    """The values by the names of the metrics; only of those that decide anything.

    See docs/reference/waza-formats.md, section 14.4.

    Raises:
        StoreError: there is a store, but it cannot be read.

    """
    store = store_dir / FILE_NAME
    if not store.is_file():
        return {}
    with reading(store) as sql:
        row = sql.execute(_LAST, (str(resolved(eval_path)),)).fetchone()
        triggers = [TriggerResult(**it) for it in json.loads(row[0])["triggers"]] if row else []
    return {ACCURACY: trigger_metrics(triggers).accuracy} if triggers else {}
