"""Audit an eval: grade null agents and mutants of recorded trials with the eval's own graders.

Nothing is executed unless the options ask for it: graders that run programs or ask a model are left out, and the result
says so. The same suite and the same recordings give the same audit.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.audit.intent import intent_of
from waza_engine.audit.memo import GradeMemo
from waza_engine.audit.mutations.base import Subject, mutations
from waza_engine.audit.null_agents import NULL_AGENTS, Scene
from waza_engine.audit.score import Attempt, GraderPlace, TaskAudit
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.graders.registry import find_grader
from waza_engine.lib.files.safe_read import regular_text
from waza_engine.lib.files.vfs import Files
from waza_engine.model.judge import Judge
from waza_engine.model.records import TrialRecord
from waza_engine.model.suite import GraderEntry, Suite, Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.skills import skills
from waza_engine.project.suite_files import SuiteFiles
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording
from waza_engine.runs.recordings.regrade import bench_for, lay_out_recording
from waza_engine.runs.trial.grade import Bench, grade_trial, unusable_grader_record
from waza_engine.runs.trial.workspace import CapturedFiles, WorkspaceError, remove_workspace

_MAX_SKILL = 200_000
_MAX_SHOWN = 4_000
"""Characters of the texts before and after that an attempt keeps."""


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What may be asked. `with_programs` starts programs and evaluates code; `judge` is asked where it is given."""

    with_programs: bool = False
    judge: Judge | None = None


def audit_suite(
    plan: Plan,
    recordings: Mapping[str, Sequence[Recording]],
    process_dir: Path,
    options: AuditOptions = AuditOptions(),  # frozen
) -> Iterator[TaskAudit]:
    """Yield the audit of each task of the plan, in order. `recordings` are the recorded trials by task id."""
    skill = skill_text(plan.suite)
    firsts = {task: its[0].trajectory for task, its in recordings.items() if its}
    for task in plan.tasks:
        others = tuple(it for other, it in firsts.items() if other != task.id)
        yield audit_task(
            plan, task, recordings.get(task.id, ()), process_dir, options, others=others, skill=skill
        )


def audit_task(  # each has a meaning of its own
    plan: Plan,
    task: Task,
    recordings: Sequence[Recording],
    process_dir: Path,
    options: AuditOptions = AuditOptions(),  # frozen
    *,
    others: tuple[Trajectory, ...] = (),
    skill: str = "",
) -> TaskAudit:
    """Return the audit of one task. `others` are trials of other tasks, `skill` is the text of the skill under test."""
    free, asked, left_out = _asked_graders(plan.suite, task, options)
    made = TaskAudit(
        task.id,
        task.name,
        task.path,
        task.pointer,
        intent_of(plan.suite, task),
        graders=tuple(map(_place, asked)),
        left_out=tuple(map(_place, left_out)),
    )
    if not asked and not any(task.expected.values()) and not task.constraints:
        return made
    plan = replace(plan, suite=free, tasks=())
    task = replace(task, graders=tuple(it for it in task.graders if it in asked), checkpoints=())
    grading = _Grading(plan, task, process_dir, options.judge)
    if failure := grading.refusal():
        return replace(made, problem=failure.error)
    try:
        passing = [it for it in recordings if grading.record(it.trajectory, it).status == "passed"]
        attempts = [*_null_attempts(grading, skill, passing), *_mutant_attempts(grading, passing, others)]
    except WorkspaceError as error:
        return replace(made, problem=str(error))
    finally:
        grading.close()
    return replace(made, attempts=tuple(attempts), trials=len(passing))


def skill_text(suite: Suite) -> str:
    """Return the text of the skill that an eval tests, "" if there is none."""
    files = Files()
    data = files.mapping(suite.path)
    around = SuiteFiles(suite.path, data, files, None, None, suite.dialect)
    found = list(skills(around, files))
    chosen = next((it for it in found if it.name == suite.skill), None) if suite.skill else None
    if chosen is None and not suite.skill and len(found) == 1:
        chosen = found[0]
    if chosen is not None:
        with suppress(OSError, ValueError):
            return regular_text(chosen.path, limit=_MAX_SKILL)
    return ""


def _null_attempts(grading: "_Grading", skill: str, passing: Sequence[Recording]) -> Iterator[Attempt]:
    scene = Scene(grading.task, skill, passing[0].trajectory if passing else None)
    for agent in NULL_AGENTS.values():
        trajectory = agent.perform(scene)
        if trajectory is not None:
            record = grading.record(trajectory)
            yield _attempt("null agent", agent.name, f"an agent that {agent.about}", record)


def _mutant_attempts(
    grading: "_Grading", passing: Sequence[Recording], others: tuple[Trajectory, ...]
) -> Iterator[Attempt]:
    seen: list[Trajectory] = []
    for recording in passing:
        grading.record(recording.trajectory, recording)
        verdicts = grading.verdicts()
        subject = Subject(grading.task, recording.trajectory, others)
        for mutation in mutations().values():
            for mutant in mutation.mutants(subject):
                if mutant.trajectory == recording.trajectory or mutant.trajectory in seen:
                    continue
                seen.append(mutant.trajectory)
                record = grading.record(mutant.trajectory, recording)
                if not grading.can_see(recording.trajectory, mutant.trajectory, verdicts):
                    continue
                attempt = _attempt("mutant", mutation.name, mutant.change, record)
                yield replace(
                    attempt,
                    trial=recording.trial,
                    before=mutant.before[:_MAX_SHOWN],
                    after=mutant.after[:_MAX_SHOWN],
                )


def _attempt(kind: str, name: str, change: str, record: TrialRecord) -> Attempt:
    noticed = tuple(it.name for it in record.graders if not it.passed)
    return Attempt(kind, name, change, record.status, noticed, error=record.error)  # type: ignore[arg-type]


class _Grading:
    """Grades trials of one task. Trials that leave the same files share a workspace: graders do not write into it."""

    def __init__(self, plan: Plan, task: Task, process_dir: Path, judge: Judge | None) -> None:
        self.task = task
        self._plan, self._process_dir, self._judge = plan, process_dir, judge
        self._memo = GradeMemo()
        self._benches: dict[str, Bench] = {}
        self._captured: list[CapturedFiles] = []
        self._workspaces: list[tuple[object, Path]] = []

    def refusal(self) -> TrialRecord | None:
        """Return the error of the first grader that cannot work."""
        return unusable_grader_record(self._bench(ReplayExecutor.name), self.task)

    def record(self, trajectory: Trajectory, recording: Recording | None = None) -> TrialRecord:
        """Return the verdict on a trial, as the executor of `recording` could observe it."""
        executor = recording.executor if recording is not None else ReplayExecutor.name
        self._memo.given.clear()
        self._memo.lay_out = lambda: self._workspace(trajectory)
        return grade_trial(
            self._bench(executor), self.task, trajectory, None, self._captured_files(trajectory)
        )

    def verdicts(self) -> Mapping[str, object]:
        """Return each grader's verdict on the last trial, by a key of the grader."""
        return dict(self._memo.given)

    def can_see(self, one: Trajectory, other: Trajectory, verdicts: Mapping[str, object]) -> bool:
        """Whether any grader reads something of the last trial, `other`, that differs from `one` with its verdicts."""
        if self.task.constraints or (any(self.task.expected.values()) and one.output != other.output):
            return True
        return any(it is not verdicts.get(key) for key, it in self._memo.given.items())

    def close(self) -> None:
        while self._workspaces:
            remove_workspace(self._workspaces.pop()[1])

    def _bench(self, executor: str) -> Bench:
        if executor not in self._benches:
            recording = Recording(self.task.id, 1, Trajectory(), executor)
            made = bench_for(self._plan, recording, self._process_dir)
            self._benches[executor] = replace(made, judge=self._judge, grade=self._memo.grade)
        return self._benches[executor]

    def _workspace(self, trajectory: Trajectory) -> Path:
        """Return a folder with the files that the trial left. Only few graders need one, so it is made late."""
        key = (trajectory.files, trajectory.removed)
        known = next((path for it, path in self._workspaces if it == key), None)
        if known is None:
            known = lay_out_recording(
                self.task, Recording(self.task.id, 1, trajectory, ReplayExecutor.name)
            ).workspace
            self._workspaces.append((key, known))
        return known

    def _captured_files(self, trajectory: Trajectory) -> CapturedFiles:
        """Return what the workspace would hold. Equal files are one object, by which the memo knows them."""
        removed = tuple(trajectory.removed)
        contents = {Path(it.target).as_posix(): it.content for it in self.task.files} | {
            name: text.encode() for name, text in trajectory.files.items()
        }
        contents = {name: it for name, it in contents.items() if name not in removed}
        known = next((it for it in self._captured if it.contents == contents), None)
        if known is None:
            known = CapturedFiles(contents, trajectory.files, removed, tuple(trajectory.uncaptured))
            self._captured.append(known)
        return known


def _asked_graders(
    suite: Suite, task: Task, options: AuditOptions
) -> tuple[Suite, list[GraderEntry], list[GraderEntry]]:
    """Return the suite with the graders that are asked, these graders of the suite and the task, and those left out."""
    entries = [*suite.graders, *task.graders]
    asked = [it for it in entries if _is_asked(it, options)]
    free = replace(suite, graders=tuple(it for it in suite.graders if _is_asked(it, options)))
    return free, asked, [it for it in entries if not _is_asked(it, options)]


def _is_asked(entry: GraderEntry, options: AuditOptions) -> bool:
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        return True
    if kind.executes and not options.with_programs:
        return False
    return not kind.asks_judge or options.judge is not None


def _place(entry: GraderEntry) -> GraderPlace:
    return GraderPlace(entry.name, entry.type, entry.path, entry.pointer)
