"""Grade many trials of one task quickly: graders are asked only about what looks different to them."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from waza_engine.audit.memo import GradeMemo
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.graders.context import GradingContext
from waza_engine.model.judge import Judge
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording
from waza_engine.runs.recordings.regrade import bench_for, lay_out_recording
from waza_engine.runs.trial.grade import Bench, grade_trial, grading_context, unusable_grader_record
from waza_engine.runs.trial.workspace import CapturedFiles, remove_workspace

_Value = TypeVar("_Value")


_MOST_MADE = 12
"""So many lists of broken trials are kept: for a prompt that changes, each of its versions has one."""


_MOST_ENTRIES = 500
"""So many entries are remembered: each edit of a grader makes another one."""


@dataclass(slots=True)
class TaskMemory:
    """What later audits of the same task take again: verdicts, captured files and broken trials.

    Trials must stay the same objects, by which verdicts are known. It stays small: if there are many broken trials, it
    begins anew.
    """

    memo: GradeMemo = field(default_factory=GradeMemo)
    captured: list[CapturedFiles] = field(default_factory=list)
    entries: dict[Any, Any] = field(default_factory=dict)
    """Results about grader entries."""
    _made: dict[Hashable, Any] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin a new audit."""
        if len(self._made) > _MOST_MADE:
            self._made.clear()
            self.captured.clear()
            self.memo = GradeMemo()
        if len(self.entries) > _MOST_ENTRIES:
            self.entries.clear()
        self.memo.begin()

    def once(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return what `make` returned for this key the first time."""
        if key not in self._made:
            self._made[key] = make()
        made: _Value = self._made[key]
        return made


class TaskGrading:
    """Grades trials of one task. Trials that leave the same files share a workspace: graders do not write into it."""

    def __init__(
        self,
        plan: Plan,
        task: Task,
        process_dir: Path,
        judge: Judge | None,
        memory: TaskMemory | None = None,
    ) -> None:
        self.task = task
        self.memory = memory or TaskMemory()
        self.memory.begin()
        self._plan, self._process_dir, self._judge = plan, process_dir, judge
        self._memo = self.memory.memo
        self._benches: dict[str, Bench] = {}
        self._workspaces: list[tuple[object, Path]] = []

    def refusal(self) -> TrialRecord | None:
        """Return the error of the first grader that cannot work."""
        return unusable_grader_record(self._bench(ReplayExecutor.name), self.task)

    def record(self, trajectory: Trajectory, recording: Recording | None = None) -> TrialRecord:
        """Return the verdict on a trial, as the executor of `recording` could observe it."""
        executor = recording.executor if recording is not None else ReplayExecutor.name
        self._memo.given.clear()
        self._memo.lay_out = lambda: self._workspace(trajectory)
        self._memo.lay_out_own = lambda: self._laid_out(trajectory, None)
        return grade_trial(
            self._bench(executor), self.task, trajectory, None, self._captured_files(trajectory)
        )

    def context(self, trajectory: Trajectory, recording: Recording | None = None) -> GradingContext:
        """Return what the graders see of a trial. Its workspace exists until the grading ends."""
        executor = recording.executor if recording is not None else ReplayExecutor.name
        workspace, captured = self._workspace(trajectory), self._captured_files(trajectory)
        return grading_context(self._bench(executor), self.task, trajectory, workspace, captured)

    def verdicts(self) -> Mapping[str, object]:
        """Return each grader's verdict on the last trial, by the grader's name."""
        return dict(self._memo.given)

    def blind(self) -> tuple[str, ...]:
        """Return the names of the graders that have read nothing of any agent's work."""
        return self._memo.blind()

    def observers(
        self, one: Trajectory, other: Trajectory, verdicts: Mapping[str, object]
    ) -> tuple[str, ...]:
        """Return the checks that read something of the last trial, `other`, that differs from `one` with `verdicts`."""
        seen = [name for name, it in self._memo.given.items() if it is not verdicts.get(name)]
        if one.output != other.output:
            seen.extend(f"_{option}" for option, texts in self.task.expected.items() if texts)
        # A constraint can look at anything.
        return (*seen, *(it.verdict_name for it in self.task.constraints))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._workspaces:
            remove_workspace(self._workspaces.pop()[1])

    def _bench(self, executor: str) -> Bench:
        if executor not in self._benches:
            recording = Recording(self.task.id, 1, Trajectory(), executor)
            made = bench_for(self._plan, recording, self._process_dir)
            self._benches[executor] = replace(
                made, judge=self._judge, grade=self._memo.grade, memory=self.memory.entries
            )
        return self._benches[executor]

    def _workspace(self, trajectory: Trajectory) -> Path:
        """Return a folder with the files that the trial left. Only few graders need one, so it is made late."""
        key = (trajectory.files, trajectory.removed)
        known = next((path for it, path in self._workspaces if it == key), None)
        return known or self._laid_out(trajectory, key)

    def _laid_out(self, trajectory: Trajectory, key: object) -> Path:
        recording = Recording(self.task.id, 1, trajectory, ReplayExecutor.name)
        path = lay_out_recording(self.task, recording).workspace
        self._workspaces.append((key, path))
        return path

    def _captured_files(self, trajectory: Trajectory) -> CapturedFiles:
        """Return what the workspace would hold. Equal files are one object, by which the memo knows them."""
        removed = tuple(trajectory.removed)
        contents = {Path(it.target).as_posix(): it.content for it in self.task.files} | {
            name: text.encode() for name, text in trajectory.files.items()
        }
        contents = {name: it for name, it in contents.items() if name not in removed}
        known = next((it for it in self.memory.captured if it.contents == contents), None)
        if known is None:
            known = CapturedFiles(contents, trajectory.files, removed, tuple(trajectory.uncaptured))
            self.memory.captured.append(known)
        return known
