"""Everything that people and judges said of an eval's stored trials."""

from pathlib import Path

from waza_engine.calibration.judgement import Judgement, read_judgements
from waza_engine.calibration.subjects import run_judgements, verdicts_of_people
from waza_engine.project.store_location import JUDGEMENTS
from waza_engine.runs.planning.plan import Plan


def known_judgements(plan: Plan, store_dir: Path) -> list[Judgement]:
    """Return the verdicts of runs, then what judges said when they were asked again, then those of people.

    Raises:
        StoreError: the store exists but cannot be read.
        OSError: the kept answers cannot be read.

    """
    return [
        *run_judgements(plan, store_dir),
        *read_judgements(store_dir / JUDGEMENTS),
        *verdicts_of_people(store_dir),
    ]
