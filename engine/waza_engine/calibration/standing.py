"""What is known of the judges of an eval, in one pass: their records, and what findings are made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waza_engine.calibration.agreement import JudgeRecord, judge_records
from waza_engine.calibration.families import model_family
from waza_engine.calibration.judgement import Judgement, latest_of_people
from waza_engine.calibration.replaceable import Replacement, replacement
from waza_engine.calibration.subjects import JudgedGrader, Subject, judge_model, judged_graders
from waza_engine.calibration.thresholds import BetterThreshold, better_threshold
from waza_engine.graders.registry import graders
from waza_engine.runs.planning.plan import Plan


@dataclass(frozen=True, slots=True)
class JudgeStanding:
    """A grader that asks a judge, and what is known of its judge. `tasks` are those that it grades.

    `record` is that of the model that would be asked now; None if it has decided nothing yet. `family` is set if the agent
    is of the same family.
    """

    grader: JudgedGrader
    model: str
    tasks: tuple[str, ...]
    record: JudgeRecord | None = None
    family: str = ""
    threshold: BetterThreshold | None = None
    replacement: Replacement | None = None


def judge_standings(
    plan: Plan, judgements: Sequence[Judgement], subjects: Sequence[Subject], process_dir: Path
) -> Iterator[JudgeStanding]:
    """Yield the standing of each grader of the plan that asks a judge, in the order of the eval.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    records = {(it.grader, it.model): it for it in judge_records(judgements)}
    for grader, tasks in _graders(plan):
        name, model = grader.entry.name, judge_model(plan, grader.entry)
        own = [it for it in judgements if it.grader == name and (it.person or it.by == model)]
        agent = model_family(plan.settings.model)
        yield JudgeStanding(
            grader,
            model,
            tasks,
            records.get((name, model)),
            agent if agent and agent == model_family(model) else "",
            better_threshold(_cases(own)),
            _replacement(plan, grader, own, subjects, process_dir),
        )


def _graders(plan: Plan) -> Iterator[tuple[JudgedGrader, tuple[str, ...]]]:
    shared = True
    for task in plan.tasks:
        for it in judged_graders(plan, task):
            if it.level == "task":
                yield it, (task.id,)
            elif shared:
                yield it, tuple(each.id for each in plan.tasks)
        shared = False


def _last(judgements: Sequence[Judgement]) -> Mapping[str, Judgement]:
    return {it.recording: it for it in judgements if not it.person}


def _cases(judgements: Sequence[Judgement]) -> list[tuple[float, bool, bool]]:
    people = {name: it for (name, _), it in latest_of_people(judgements).items()}
    return [
        (it.score, it.passed, people[name].passed) for name, it in _last(judgements).items() if name in people
    ]


def _replacement(
    plan: Plan,
    grader: JudgedGrader,
    judgements: Sequence[Judgement],
    subjects: Sequence[Subject],
    process_dir: Path,
) -> Replacement | None:
    """Return a check for the judge; only for the grader of one task, because drafts are made from trials of one task."""
    last = _last(judgements)
    judged = [
        (it, last[it.name].passed) for it in subjects if it.grader.entry is grader.entry and it.name in last
    ]
    if len({it.task.id for it, _ in judged}) != 1:
        return None
    dialect = grader.entry.dialect
    return replacement(plan, judged, graders(dialect).values(), dialect, process_dir)
