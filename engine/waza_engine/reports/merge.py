"""Merge the shards of a run (`--shard i/n`, then `waza-lsp merge`)."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.suite import Metric
from waza_engine.runs.run_header import RunFrame
from waza_engine.runs.totals import Ending, RunOutcome, run_record


class MergeError(Exception):
    """The shards cannot be merged; the message says why."""


def merge_runs(parts: Sequence[RunRecord], *, incomplete: bool = False) -> RunRecord:
    """Return the whole run, its tasks in the order of the eval. With `incomplete`, shards may be missing.

    Raises:
        MergeError: the shards belong to different evals, one is missing, or one occurs twice.

    """
    first = parts[0]
    names = {it.suite_name for it in parts}
    if len(names) > 1:
        raise MergeError(f"These runs belong to different evals: {', '.join(sorted(names))}")
    ordered = _in_order(parts, incomplete=incomplete)
    # Shards take every n-th task, so taking one from each in turn restores the order.
    rows = zip_longest(*(it.tasks for it in ordered))
    tasks: list[TaskRecord] = [it for it in chain.from_iterable(rows) if it is not None]
    failed = next(
        (it for it in ordered if it.status in {"error", "cancelled"} and not it.infrastructure), None
    )
    baselines = [it.baseline for it in ordered if it.baseline is not None]
    return run_record(
        _frame(first),
        RunOutcome(
            run_id=first.run_id,
            started_at=min(it.started_at for it in ordered),
            duration_ms=max(it.duration_ms for it in ordered),
            tasks=tasks,
            # Every shard runs all trigger prompts, so the results of one are enough.
            triggers=next((it.triggers for it in ordered if it.triggers), ()),
            ending=Ending("error", f"Shard {failed.shard or failed.run_id}: {failed.error}")
            if failed
            else Ending(),
            baseline=merge_runs(baselines, incomplete=True) if len(baselines) == len(ordered) else None,
        ),
    )


def _frame(record: RunRecord) -> RunFrame:
    metrics = tuple(Metric(it.name, it.weight, it.threshold) for it in (*record.metrics, *record.measures))
    return RunFrame(
        record.suite_name,
        record.skill,
        record.executor,
        record.model,
        record.judge_model,
        record.trials,
        record.timeout_seconds,
        metrics=metrics,
        scoring=record.scoring,
        eval_path=record.eval_path,
        arm=record.arm,
    )


def _in_order(parts: Sequence[RunRecord], *, incomplete: bool) -> list[RunRecord]:
    """The shards by number. Runs without shard numbers keep their order."""
    if not all(it.shard for it in parts):
        return list(parts)
    numbered = {int(it.shard.partition("/")[0]): it for it in parts}
    counts = {it.shard.partition("/")[2] for it in parts}
    if len(counts) > 1:
        raise MergeError(f"These shards have different totals: {', '.join(it.shard for it in parts)}")
    if len(numbered) < len(parts):
        raise MergeError(f"The same shard occurs twice: {', '.join(it.shard for it in parts)}")
    total = int(counts.pop())
    missing = [f"{it}/{total}" for it in range(1, total + 1) if it not in numbered]
    if missing and not incomplete:
        raise MergeError(f"Missing shards: {', '.join(missing)}. Merge without them with --incomplete")
    return [numbered[it] for it in sorted(numbered)]
