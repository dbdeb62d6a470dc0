"""What changed between the stored verdicts of a run and new ones."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.reports.inert import one_line
from waza_engine.runs.recordings.regrade import Keep
from waza_engine.runs.store.rows import StoredRun


@dataclass(slots=True)
class Changes:
    """Collects changed verdicts, trial by trial: only these are kept in memory."""

    _lines: list[tuple[str, int, list[str]]] = field(default_factory=list)
    """Task, number of the trial, and the lines about it."""

    def __bool__(self) -> bool:
        return bool(self._lines)

    def noted(self, of: StoredRun, keep: Keep) -> Keep:
        """Return `keep` for `regrade`, which also collects the changes of the run `of`; its baseline has others."""

        def keep_and_note(run: StoredRun, was: TrialRecord, now: TrialRecord) -> None:
            if run.run_id == of.run_id:
                self.add(was, now)
            keep(run, was, now)

        return keep_and_note

    def add(self, was: TrialRecord, now: TrialRecord) -> None:
        """Compare a trial as it was stored with the same trial graded again."""
        about = [*_grader_changes(was.graders, now.graders)]
        if about or _verdict(was) != _verdict(now):
            self._lines.append((now.task, now.trial, [_change(_verdict(was), _verdict(now)), *about]))

    def text(self, run_id: str) -> str:
        """Return the changes, one line for each verdict."""
        if not self._lines:
            return f"No verdict has changed since run {run_id}."
        lines = [f"Changed since run {run_id}:"]
        several = {task for task, trial, _ in self._lines if trial > 1}
        for task, trial, (verdict, *graders) in self._lines:
            where = f"{task}, trial {trial}" if task in several else task
            lines.append(f"  {one_line(where)}: {verdict}")
            lines += [f"    {it}" for it in graders]
        return "\n".join(lines)


def _verdict(of: TrialRecord | GraderOutcome) -> tuple[str, str]:
    return of.status, f"{of.score:.2f}"


def _change(was: tuple[str, str], now: tuple[str, str]) -> str:
    """Return the words for a change of status and score; the same verdict with other graders needs none."""
    scores = f"score {was[1]} -> {now[1]}"
    if was[0] != now[0]:
        return f"{was[0]} -> {now[0]}, {scores}"
    return f"still {now[0]}, {scores}" if was[1] != now[1] else f"still {now[0]}, score {now[1]}"


def _grader_changes(was: tuple[GraderOutcome, ...], now: tuple[GraderOutcome, ...]) -> Iterator[str]:
    before = {it.name: it for it in was}
    for it in now:
        old = before.pop(it.name, None)
        if old is None:
            yield f"{one_line(it.name)}: new, {it.status}"
        elif _verdict(old) != _verdict(it):
            yield f"{one_line(it.name)}: {_change(_verdict(old), _verdict(it))}"
    yield from (f"{one_line(it.name)}: removed, was {it.status}" for it in before.values())
