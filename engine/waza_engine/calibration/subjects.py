"""What is judged: recorded trials with the graders of their task that ask a judge, and what people said of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waza_engine.calibration.judgement import Judgement, KeptTurn
from waza_engine.graders.entry import Level
from waza_engine.lib.files.digests import file_digest
from waza_engine.model.suite import GraderEntry, Task
from waza_engine.project.store_location import FILE_NAME
from waza_engine.runs.planning.participants import needs_judge
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording, all_recordings_of
from waza_engine.runs.reviews import Review, read_reviews
from waza_engine.runs.store.rows import StoredRun, StoredTrial
from waza_engine.runs.store.store import RunStore

_MOST_OF_TASK = 50


@dataclass(frozen=True, slots=True)
class JudgedGrader:
    """A grader that asks a judge, with the level of its entry."""

    entry: GraderEntry
    level: Level


@dataclass(frozen=True, slots=True)
class Subject:
    """A recorded trial and one grader that judges it. `name` is the recording's name in judgements."""

    name: str
    task: Task
    recording: Recording
    grader: JudgedGrader


def judged_graders(plan: Plan, task: Task) -> Iterator[JudgedGrader]:
    """Yield the graders of a task that ask a judge: the eval's, then its own."""
    yield from (JudgedGrader(it, "eval") for it in plan.suite.graders if needs_judge(it))
    yield from (JudgedGrader(it, "task") for it in task.graders if needs_judge(it))


def stored_subjects(plan: Plan, store_dir: Path, grader: str = "") -> Iterator[Subject]:
    """Yield the stored trials of an eval with each judged grader (or only the one with this name), newest first.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    for task in plan.tasks:
        graders = [it for it in judged_graders(plan, task) if grader in {"", it.entry.name}]
        if not graders:
            continue
        for recording in all_recordings_of(plan.suite.path, task.id, store_dir, trials=0, most=_MOST_OF_TASK):
            name = stored_name(recording.run_id, task.id, recording.trial)
            yield from (Subject(name, task, recording, it) for it in graders)


def run_judgements(plan: Plan, store_dir: Path) -> Iterator[Judgement]:
    """Yield what judges said during stored runs of the eval, oldest first. What they were asked is not known any more.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    if not (store_dir / FILE_NAME).is_file():
        return
    with RunStore(store_dir, for_reading=True, briefly=True) as store:
        digest_of = cache(file_digest)
        runs = cache(lambda run_id: next(iter(store.find_runs(run_id)), None))
        for task in plan.tasks:
            entries = [it.entry for it in judged_graders(plan, task)]
            trials = store.task_trials(plan.suite.path, task.id, _MOST_OF_TASK) if entries else []
            for it in reversed(trials):
                models = {each.name: _model_then(each, runs(it.run_id), digest_of) for each in entries}
                yield from _of_trial(it, task.id, models)


def judge_model(plan: Plan, entry: GraderEntry) -> str:
    """Return the judge model of a grader: its own, then the run's, then the eval's; "" if none is named."""
    return _own_model(entry) or plan.settings.judge_model or plan.settings.model


def _own_model(entry: GraderEntry) -> str:
    model = entry.config.get("model") if isinstance(entry.config, Mapping) else None
    return str(model or "")


def _model_then(entry: GraderEntry, run: StoredRun | None, digest_of: Callable[[Path], str]) -> str:
    """Return the model that judged in a run; "" if that is not known, because the entry's file has changed since."""
    if run is None or entry.path is None or run.frame.files.get(str(entry.path)) != digest_of(entry.path):
        return ""
    return _own_model(entry) or run.frame.judge_model or run.model


def _of_trial(it: StoredTrial, task: str, models: Mapping[str, str]) -> Iterator[Judgement]:
    """Yield what judges said of a trial. `models` are theirs, by the name of the grader."""
    for outcome in it.record.graders:
        if outcome.name not in models or outcome.status == "error" or outcome.infrastructure:
            continue
        details = outcome.details or {}
        yield Judgement(
            recording=stored_name(it.run_id, task, it.record.trial),
            grader=outcome.name,
            passed=outcome.passed,
            score=min(max(outcome.score, 0.0), 1.0),
            by=str(details.get("model") or models[outcome.name]),
            at=it.record.started_at,
            turns=(KeptTurn(request="", usage=dict(details.get("usage") or {})),),
        )


def stored_name(run_id: str, task: str, trial: int) -> str:
    """Return the name of a stored trial in judgements."""
    return f"{run_id}/{task}/{trial}"


def verdicts_of_people(store_dir: Path) -> list[Judgement]:
    """Return the reviews of a store as judgements.

    Raises:
        StoreError: the file exists but cannot be read.

    """
    return [_of_review(it) for it in read_reviews(store_dir)]


def _of_review(review: Review) -> Judgement:
    return Judgement(
        recording=stored_name(review.run, review.task, review.trial),
        grader=review.grader,
        passed=review.passed,
        score=review.score,
        by=review.reviewer,
        person=True,
        comment=review.comments,
    )
