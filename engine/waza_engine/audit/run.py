"""Audit an eval: grade null agents and mutants of recorded trials with the eval's own graders.

Graders that run programs or ask a model are left out unless the options ask for them. The same suite and the same
recordings give the same audit.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from waza_engine.audit.counter_examples import CounterExample, counter_examples, counter_stamps
from waza_engine.audit.intent import Intent, intent_of
from waza_engine.audit.limits import loose_limits
from waza_engine.audit.mutations.base import Mutant, Subject, mutations, performed
from waza_engine.audit.null_agents import NULL_AGENTS, Scene
from waza_engine.audit.other_trials import first_trials, other_trials
from waza_engine.audit.own_words.marks import is_marked_negative
from waza_engine.audit.placing import grader_place
from waza_engine.audit.score import Attempt, AttemptKind, TaskAudit
from waza_engine.audit.task_grading import TaskGrading, TaskMemory
from waza_engine.graders.registry import find_grader
from waza_engine.lib.files.safe_read import regular_text
from waza_engine.model.judge import Judge
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import GraderEntry, LoadError, Suite, Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.reading import current_files, read_mapping
from waza_engine.project.skills import skills
from waza_engine.project.suite_files import SuiteFiles
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording, UnreadableRecording
from waza_engine.runs.recordings.free_graders import is_free, writes_files
from waza_engine.runs.trial.checkpoints import last_turn
from waza_engine.runs.trial.workspace import WorkspaceError

_MAX_SKILL = 200_000
_MAX_SHOWN = 4_000
"""Characters of the texts before and after that an attempt keeps."""


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What may be asked. `with_programs` starts programs and evaluates code; `judge` is asked where it is given."""

    with_programs: bool = False
    judge: Judge | None = None


class AuditResult(NamedTuple):
    """What grading found out about a task; the rest of its audit is read from the suite."""

    attempts: tuple[Attempt, ...]
    blind: tuple[str, ...]
    loose: tuple[str, ...]
    trials: int


class AuditInputs(NamedTuple):
    """What the audit of a task depends on besides the plan and its files."""

    task: Task
    recordings: Sequence[Recording] = ()
    others: tuple[Trajectory, ...] = ()
    """Trials of other tasks."""
    skill: str = ""
    """The text of the skill under test."""
    unreadable: Sequence[UnreadableRecording] = ()
    """Files that should hold recordings of the task. They change nothing in the result."""
    is_free: bool = False
    """Whether all graders that are asked run nothing and ask no model, so that the result is the same each time."""


class KnownAudits(Protocol):
    """Results of earlier audits."""

    def find(self, inputs: AuditInputs) -> AuditResult | None:
        """Return the result of an audit with the same inputs."""

    def add(self, inputs: AuditInputs, result: AuditResult) -> None:
        """Remember a result."""


def audit_suite(
    plan: Plan,
    recordings: Mapping[str, Sequence[Recording]],
    process_dir: Path,
    options: AuditOptions = AuditOptions(),  # frozen
    unreadable: Mapping[str, Sequence[UnreadableRecording]] = MappingProxyType({}),
    known: KnownAudits | None = None,
) -> Iterator[TaskAudit]:
    """Yield the audit of each task of the plan, in order.

    `recordings` are the recorded trials by task id, `unreadable` the files that should hold some and cannot be read.
    Both may be read late: each task's are asked for once, in this order. Results that are `known` are not worked out again.
    """
    skill = skill_text(plan.suite)
    firsts = first_trials(recordings)
    for task in plan.tasks:
        own, skipped = recordings.get(task.id, ()), unreadable.get(task.id, ())
        entries = (*plan.suite.graders, *_own_graders(task))
        is_fixed = all(is_free(it) for it in entries if _is_asked(it, options))
        inputs = AuditInputs(task, own, other_trials(firsts, task), skill, skipped, is_fixed)
        result = known.find(inputs) if known is not None else None
        if result is not None:
            yield _finished(task, _outline(plan.suite, inputs, options), result)
            continue
        audit = audit_task(plan, inputs, process_dir, options)
        is_whole = not audit.problem and len(audit.unreadable) == len(skipped)
        if known is not None and is_whole and all(it.status != "error" for it in audit.attempts):
            known.add(inputs, AuditResult(audit.attempts, audit.blind, audit.loose, audit.trials))
        yield audit


def audit_task(
    plan: Plan,
    inputs: AuditInputs,
    process_dir: Path,
    options: AuditOptions = AuditOptions(),  # frozen
    memory: TaskMemory | None = None,
) -> TaskAudit:
    """Return the audit of one task. With the `memory` of an earlier audit, only graders that have changed since are asked."""
    task = inputs.task
    made = _outline(plan.suite, inputs, options)
    if not made.graders and not _has_own_checks(task):
        return made
    with task_grading(plan, task, process_dir, options, memory) as grading:
        counter = _counter_examples(grading, plan.suite.path)
        made = replace(made, unreadable=(*inputs.unreadable, *_unreadable(counter)))
        if failure := grading.refusal():
            return replace(made, problem=failure.error)
        try:
            passing = passing_trials(grading, inputs.recordings)
            attempts = (
                *(it.attempt for it in broken_work(grading, passing, inputs.others, inputs.skill)),
                *_counter_attempts(grading, counter),
            )
            loose = loose_limits(grading, [*plan.suite.graders, *task.graders], passing)
        except WorkspaceError as error:
            return replace(made, problem=str(error))
        if attempts and all(it.status == "error" for it in attempts):
            return replace(made, problem=attempts[0].error)
        return _finished(task, made, AuditResult(attempts, grading.blind(), loose, len(passing)))


def _finished(task: Task, outline: TaskAudit, result: AuditResult) -> TaskAudit:
    made = replace(outline, **result._asdict())
    return replace(made, intent=Intent.NOTHING) if _is_trigger_test(task, made) else made


def _is_trigger_test(task: Task, audit: TaskAudit) -> bool:
    """Whether all of the task's own checks read only the prompt. What the agent does is no matter to it."""
    if not task.graders or any(task.expected.values()) or task.constraints:
        return False
    return all(it.name in audit.blind for it in task.graders)


def _outline(suite: Suite, inputs: AuditInputs, options: AuditOptions) -> TaskAudit:
    """Return the audit of a task without what grading finds out."""
    task = inputs.task
    entries = [*suite.graders, *_own_graders(task)]
    # The state after an earlier turn is not recorded, and null agents have none.
    earlier = [it for each in task.checkpoints if each.after_turn != last_turn(task) for it in each.graders]
    return TaskAudit(
        task.id,
        task.name,
        task.path,
        task.pointer,
        intent_of(suite, task, is_marked=is_marked_negative(suite, task)),
        graders=tuple(grader_place(it, suite) for it in entries if _is_asked(it, options)),
        left_out=tuple(
            grader_place(it, suite)
            for it in (*(it for it in entries if not _is_asked(it, options)), *earlier)
        ),
        recorded=len(inputs.recordings),
        unreadable=tuple(inputs.unreadable),
        is_unchecked=not entries and not task.checkpoints and not _has_own_checks(task),
    )


def _own_graders(task: Task) -> tuple[GraderEntry, ...]:
    """Return the graders of a task: its own, and those of a checkpoint after the last turn, which see the same."""
    final = (it for each in task.checkpoints if each.after_turn == last_turn(task) for it in each.graders)
    return (*task.graders, *final)


def _has_own_checks(task: Task) -> bool:
    """Whether a task without graders is checked all the same."""
    return any(task.expected.values()) or bool(task.constraints)


def counter_problems(plan: Plan, task: Task, process_dir: Path, options: AuditOptions) -> list[str]:
    """Return the counter examples of a task that pass or cannot be read, each in a sentence.

    None passes for certain if a grader could notice it that is not asked.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    with task_grading(plan, task, process_dir, options) as grading:
        found = _counter_examples(grading, plan.suite.path)
        attempts = tuple(_counter_attempts(grading, found))
        audit = replace(_outline(plan.suite, AuditInputs(task), options), attempts=attempts)
        passing = [it.name for it in audit.passing_counter_examples]
    return [
        *(f"recordings/counter/{it} must fail, but passes" for it in passing),
        *(it.shown for it in _unreadable(found)),
    ]


def task_grading(
    plan: Plan,
    task: Task,
    process_dir: Path,
    options: AuditOptions = AuditOptions(),  # frozen
    memory: TaskMemory | None = None,
) -> TaskGrading:
    """Return the grading of a task with the graders that may be asked. Enter it; leaving it deletes its workspaces."""
    suite = replace(plan.suite, graders=tuple(it for it in plan.suite.graders if _is_asked(it, options)))
    graders = tuple(it for it in _own_graders(task) if _is_asked(it, options))
    task = replace(task, graders=graders, checkpoints=())
    return TaskGrading(replace(plan, suite=suite, tasks=()), task, process_dir, options.judge, memory)


def passing_trials(grading: TaskGrading, recordings: Sequence[Recording]) -> list[Recording]:
    """Return the recorded trials that pass, of the first run that has some.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    for _, of_run in groupby(recordings, lambda it: it.run_id):
        if passing := [it for it in of_run if grading.record(it.trajectory, it).status == "passed"]:
            return passing
    return []


class BrokenWork(NamedTuple):
    """An attempt and its trial."""

    attempt: Attempt
    trajectory: Trajectory


def broken_work(
    grading: TaskGrading, passing: Sequence[Recording], others: tuple[Trajectory, ...], skill: str
) -> Iterator[BrokenWork]:
    """Yield the attempts of all null agents, and all mutants of the passing trials.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    yield from _null_attempts(grading, skill, passing)
    yield from _mutant_attempts(grading, passing, others)


def work_to_keep(
    grading: TaskGrading,
    recordings: Sequence[Recording],
    key: str,
    *,
    others: tuple[Trajectory, ...] = (),
    skill: str = "",
) -> BrokenWork | None:
    """Return the broken work with this key (`Attempt.key`), for `keep_counter_example`.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    found = broken_work(grading, passing_trials(grading, recordings), others, skill)
    return next((it for it in found if it.attempt.key == key), None)


def skill_text(suite: Suite) -> str:
    """Return the text of the skill that an eval tests, "" if there is none."""
    files = current_files()
    try:
        data = read_mapping(suite.path)
    except LoadError:
        data = {}
    around = SuiteFiles(suite.path, data, files, None, None, suite.dialect)
    found = list(skills(around, files))
    chosen = next((it for it in found if it.name == suite.skill), None) if suite.skill else None
    if chosen is None and not suite.skill:
        inside = [it for it in found if it.path.is_relative_to(suite.path.parent)]
        chosen = next(iter(inside if len(inside) == 1 else found if len(found) == 1 else ()), None)
    if chosen is not None:
        with suppress(OSError, ValueError):
            return regular_text(chosen.path, limit=_MAX_SKILL)
    return ""


def _null_attempts(grading: TaskGrading, skill: str, passing: Sequence[Recording]) -> Iterator[BrokenWork]:
    scene = Scene(grading.task, skill, passing[0].trajectory if passing else None)
    key = ("null agents", _task_key(grading.task), skill, id(scene.passing))
    # The scene is kept, so that no other trial gets the id in the key.
    performed, _ = grading.memory.once(
        key, lambda: ([(it, it.perform(scene)) for it in NULL_AGENTS.values()], scene)
    )
    for agent, trajectory in performed:
        if trajectory is not None:
            record = grading.record(trajectory)
            attempt = _attempt("null agent", agent.name, f"an agent that {agent.about}", record)
            yield BrokenWork(attempt, trajectory)


def _mutant_attempts(
    grading: TaskGrading, passing: Sequence[Recording], others: tuple[Trajectory, ...]
) -> Iterator[BrokenWork]:
    trials = tuple(id(it.trajectory) for it in passing), tuple(map(id, others))
    key = ("mutants", _task_key(grading.task), trials)
    made, *_ = grading.memory.once(
        key, lambda: (list(_mutants(grading.task, passing, others)), passing, others)
    )
    numbers = Counter[str]()
    for recording, mutants in made:
        grading.record(recording.trajectory, recording)
        verdicts = grading.verdicts()
        for name, mutant in mutants:
            record = grading.record(mutant.trajectory, recording)
            numbers[name] += 1
            # Only what passes is shown, and the texts of 10,000 tasks would fill the memory.
            shown = _MAX_SHOWN if record.status == "passed" else 0
            attempt = replace(
                _attempt("mutant", name, mutant.change, record),
                number=numbers[name],
                observers=grading.observers(recording.trajectory, mutant.trajectory, verdicts),
                trial=recording.trial,
                before=mutant.before[:shown],
                after=mutant.after[:shown],
            )
            yield BrokenWork(attempt, mutant.trajectory)


def _counter_examples(grading: TaskGrading, eval_path: Path) -> list[CounterExample]:
    task = grading.task.id
    key = ("counter examples", counter_stamps(eval_path, task))
    return grading.memory.once(key, lambda: list(counter_examples(eval_path, task)))


def _unreadable(examples: Sequence[CounterExample]) -> Iterator[UnreadableRecording]:
    return (UnreadableRecording(it.path, it.problem) for it in examples if it.trajectory is None)


def _counter_attempts(grading: TaskGrading, examples: Sequence[CounterExample]) -> Iterator[Attempt]:
    for path, trajectory, _ in examples:
        if trajectory is not None:
            record = grading.record(trajectory)
            yield _attempt("counter example", path.name, f"the counter example {path.name}", record)


def _mutants(
    task: Task, passing: Sequence[Recording], others: tuple[Trajectory, ...]
) -> Iterator[tuple[Recording, list[tuple[str, Mutant]]]]:
    """Yield the mutants of each recording, with their mutation's name. Two that are equal count once."""
    seen: list[Trajectory] = []
    for recording in passing:
        seen.append(recording.trajectory)
        subject, found = Subject(task, recording.trajectory, others), []
        for mutation in mutations().values():
            for it in performed(mutation, subject):
                if it.trajectory not in seen:
                    seen.append(it.trajectory)
                    found.append((mutation.name, it))
        yield recording, found


def _task_key(task: Task) -> Hashable:
    """Return what broken trials depend on, besides the recorded ones."""
    return task.id, task.prompt, tuple((it.target, it.content) for it in task.files)


def _attempt(kind: AttemptKind, name: str, change: str, record: TrialRecord) -> Attempt:
    # A grader that cannot judge a trial notices nothing in it.
    noticed = tuple(it.name for it in record.graders if it.status == "failed")
    lost = any(it.status == "error" and it.infrastructure for it in record.graders)
    return Attempt(kind, name, change, record.status, noticed, error=record.error, is_lost=lost)


def _is_asked(entry: GraderEntry, options: AuditOptions) -> bool:
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        return True
    if (kind.executes and not options.with_programs) or writes_files(entry):
        return False
    return not kind.asks_judge or options.judge is not None
