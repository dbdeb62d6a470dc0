"""Measure verdicts per second for each grader type, and whole suites of growing size: `python bench/engine.py`.

Each type is measured with the example of its own page on one recorded trajectory of the examples. The suite rows grade
N tasks, each with one grader of every deterministic type, and compute the totals. The cost per task must be constant.
Times are CPU seconds of this process and its children.
"""

import argparse
import cProfile
import os
import pstats
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from waza_engine.graders.base import Grader, GradingContext
from waza_engine.graders.registry import graders
from waza_engine.graders.result import GraderFailure
from waza_engine.grading.grade import grade_entry, grade_run
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.model.results.scores import TaskTotals, TrialTotals
from waza_engine.model.trajectory import Trajectory
from waza_engine.statistics.totals import suite_totals, task_stats

ROOT = Path(__file__).parents[1]
RECORDING = ROOT / "examples/deploy-orchestrator/recordings/deploy-to-staging.json"
WORKSPACE = ROOT / "examples/file-editor/fixtures"
SIZES = (100, 1_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="time per grader type")
    parser.add_argument("--profile", action="store_true", help="show where the time of 1,000 tasks goes")
    options = parser.parse_args()
    context = _context()
    kinds = {name: it for name, it in graders("waza").items() if not it.asks_judge}
    print(f"{'type':<18}{'verdicts/s':>12}{'us each':>10}")
    for name, kind in kinds.items():
        entry = _entry(kind)
        rate = _rate(lambda entry=entry: grade_entry(entry, context), options.seconds)
        failed = isinstance(grade_entry(entry, context), GraderFailure)
        print(
            f"{name:<18}{rate:>12,.0f}{1e6 / rate:>10.1f}{'   (grade error on this trajectory)' if failed else ''}"
        )
    deterministic = [_entry(it) for it in kinds.values() if it.deterministic]
    print(f"\n{'tasks':>8}{'verdicts':>10}{'CPU s':>9}{'ms per task':>13}")
    for size in SIZES:
        seconds = _suite(size, deterministic, context)
        print(f"{size:>8,}{size * len(deterministic):>10,}{seconds:>9.2f}{1000 * seconds / size:>13.3f}")
    if options.profile:
        profile = cProfile.Profile()
        profile.runcall(_suite, 1_000, deterministic, context)
        pstats.Stats(profile).sort_stats("tottime").print_stats(20)


def _context() -> GradingContext:
    recorded = Trajectory.model_validate_json(RECORDING.read_text(encoding="utf-8"))
    return GradingContext(
        output=recorded.output,
        transcript=recorded.transcript,
        session=recorded.session,
        tool_events=recorded.tool_events,
        skills=recorded.skills,
        prompt=recorded.prompt,
        duration_ms=recorded.duration_ms,
        workspace_dir=WORKSPACE,
        process_dir=ROOT,
    )


def _entry(kind: type[Grader]) -> dict[str, Any]:
    example = re.search(r"```yaml\n(.*?)```", kind.page(), re.DOTALL)
    if example is None:
        raise SystemExit(f"the page of {kind.type_name} has no example")
    entry: dict[str, Any] = read_yaml(example.group(1))
    return entry


def _rate(work: Callable[[], object], seconds: float) -> float:
    work()
    count, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        work()
        count += 1
    return count / (time.perf_counter() - started)


def _suite(size: int, entries: list[dict[str, Any]], context: GradingContext) -> float:
    started, rng = os.times(), random.Random(7)
    totals = []
    for _ in range(size):
        verdict = grade_run(entries, [], {}, context)
        run = TrialTotals(verdict.status, verdict.score, verdict.weighted_score, context.duration_ms)
        stats = task_stats([run], rng)
        totals.append(TaskTotals(stats.status, stats.avg_score, stats.avg_weighted_score))
    suite_totals(totals, 1, rng)
    ended = os.times()
    return sum(ended[:4]) - sum(started[:4])


if __name__ == "__main__":
    main()
