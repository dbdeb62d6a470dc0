"""The arms of an experiment as one page to look at."""

from collections.abc import Sequence

from waza_engine.reports.experiment import Results, over_all_evals
from waza_engine.reports.html_comparison import html_comparison
from waza_engine.runs.records import RunRecord


def arms_report(records: Sequence[RunRecord]) -> list[str]:
    """The page of an experiment whose runs these are, one for each arm and eval."""
    arms: dict[str, list[RunRecord]] = {}
    for it in records:
        if it.arm is not None:
            arms.setdefault(it.arm.variant, []).append(it)
    baseline = next((it.arm.baseline for it in records if it.arm is not None), "")
    order = sorted(arms, key=lambda it: it != baseline)
    # The first run is the one that started first.
    return experiment_page(
        Results(
            "", baseline, {it: over_all_evals(sorted(arms[it], key=lambda run: run.run_id)) for it in order}
        )
    )


def experiment_page(results: Results) -> list[str]:
    """The page, piece by piece: the last arm against the baseline, and all of them side by side."""
    return list(html_comparison(list(results.arms), list(results.arms.values())))
