"""Several parts of a run, performed on several machines, as one (`--shard i/n`, then `waza-lsp merge`)."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from waza_engine.model.records import RunRecord, TaskRecord
from waza_engine.model.suite import Metric
from waza_engine.runs.run_header import RunFrame
from waza_engine.runs.totals import Ending, run_record


class MergeError(Exception):
    """The parts do not make a whole; the text says why."""


def merged(parts: Sequence[RunRecord], *, incomplete: bool = False) -> RunRecord:
    """The whole run, its tasks in the order of the eval. With `incomplete`, missing parts are accepted.

    Raises:
        MergeError: the parts are of different evals, a part is missing, or is there twice.

    """
    first = parts[0]
    names = {it.suite_name for it in parts}
    if len(names) > 1:
        raise MergeError(f"These are runs of different evals: {', '.join(sorted(names))}")
    ordered = _in_order(parts, incomplete=incomplete)
    # Shards take every n-th task: the order comes back by taking one of each in turn.
    rows = zip_longest(*(it.tasks for it in ordered))
    tasks: list[TaskRecord] = [it for it in chain.from_iterable(rows) if it is not None]
    failed = next((it for it in ordered if it.status in {"error", "cancelled"}), None)
    baselines = [it.baseline for it in ordered if it.baseline is not None]
    return run_record(
        _frame(first),
        run_id=first.run_id,
        started_at=min(it.started_at for it in ordered),
        duration_ms=max(it.duration_ms for it in ordered),
        tasks=tasks,
        # Every part asks all trigger prompts: the answers of one are enough.
        triggers=next((it.triggers for it in ordered if it.triggers), ()),
        ending=Ending("error", f"Shard {failed.shard or failed.run_id}: {failed.error}")
        if failed
        else Ending(),
        baseline=merged(baselines, incomplete=True) if len(baselines) == len(ordered) else None,
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
    """By shard number; runs that are no shards stay as they were given."""
    if not all(it.shard for it in parts):
        return list(parts)
    numbered = {int(it.shard.partition("/")[0]): it for it in parts}
    totals = {it.shard.partition("/")[2] for it in parts}
    if len(totals) > 1:
        raise MergeError(f"These parts are of different divisions: {', '.join(it.shard for it in parts)}")
    if len(numbered) < len(parts):
        raise MergeError(f"A shard is there twice: {', '.join(it.shard for it in parts)}")
    wanted = int(totals.pop())
    missing = [f"{it}/{wanted}" for it in range(1, wanted + 1) if it not in numbered]
    if missing and not incomplete:
        raise MergeError(f"Shards are missing: {', '.join(missing)}. Accept that with --incomplete")
    return [numbered[it] for it in sorted(numbered)]
