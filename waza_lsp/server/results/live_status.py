"""The status of evals from their tasks, and of tasks whose graders were graded again after an edit.

A live status is the same truth as the checks in the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from waza_lsp.runnables.commands import LiveStatus, RunStatus, Verdict
from waza_lsp.server.results.annotations.annotations import LiveVerdicts


def live_status(verdict: Verdict, task: str, live: LiveVerdicts, *, is_edited: bool) -> LiveStatus | None:
    """Return the live status of a task; None if its verdict says the same, or no grader was graded again."""
    failing = live.failing.get(task)
    if failing is None or verdict.status not in {"passed", "failed"}:
        return None
    is_passed = not failing and task not in live.failed_checks
    if not is_edited and is_passed == (verdict.status == "passed"):
        return None
    return LiveStatus(is_passed, failing, since=verdict.at)


def live_statuses(verdicts: Mapping[str, Verdict], live: LiveVerdicts) -> dict[str, LiveStatus]:
    """Return the live status of each task whose graders were graded again."""
    graded = ((it, verdict) for it, verdict in verdicts.items() if it in live.failing)
    found = {it: live_status(verdict, it, live, is_edited=True) for it, verdict in graded}
    return {task: it for task, it in found.items() if it is not None}


def live_status_of_eval(
    verdicts: Mapping[str, Verdict], live: LiveVerdicts, *, is_edited: bool
) -> LiveStatus | None:
    """Return the live status of an eval: how many of its tasks pass; None if its verdict says the same."""
    statuses = live_statuses(verdicts, live)
    if not statuses:
        return None
    last = {task: it.status == "passed" for task, it in verdicts.items()}
    now = last | {task: it.is_passed for task, it in statuses.items()}
    if not is_edited and now == last:
        return None
    passed = sum(now.values())
    return LiveStatus(passed == len(now), passed=passed, total=len(now))


def combined_verdict(verdicts: Sequence[Verdict], *, stale: bool) -> Verdict | None:
    """Return the verdict of an eval, from the verdicts of its tasks."""
    if not verdicts:
        return None
    newest = max(verdicts, key=lambda verdict: verdict.at)
    deciding = [it for it in verdicts if not it.quarantine] or verdicts
    statuses = {it.status for it in deciding if not it.infrastructure}
    status = next((it for it in ("error", "failed", "passed") if it in statuses), newest.status)
    is_open = not statuses & {"error", "failed"} and any(it.infrastructure for it in deciding)
    counted = [it.tokens for it in verdicts]
    return Verdict(
        run_id=newest.run_id,
        status="error" if is_open else status,
        score=sum(it.score for it in verdicts) / len(verdicts),
        at=newest.at,
        tokens=None if None in counted else sum(it or 0 for it in counted),
        stale=stale,
        passed=sum(it.status == "passed" for it in verdicts),
        total=len(verdicts),
        infrastructure=is_open,
    )


def verdict_of_experiment(verdict: Verdict | None) -> Verdict | None:
    """Return the combined verdict of all arms, under the run's id without the arm number."""
    return replace(verdict, run_id=verdict.run_id.rpartition("-")[0]) if verdict is not None else None


def status_of_experiment(known: RunStatus) -> RunStatus:
    """Return the status of an experiment: the runs of its arms can be graded again, not recordings in files."""
    verdict = verdict_of_experiment(known.verdict)
    return replace(known, verdict=verdict, is_recorded=known.verdict is not None)
