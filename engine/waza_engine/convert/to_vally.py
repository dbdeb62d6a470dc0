"""Convert a waza suite to one vally spec with a stimulus per task (docs/reference/vally.md, section 14)."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.assembly import Assembly
from waza_engine.convert.conversion import Conversion
from waza_engine.convert.graders.stand_ins import (
    JUDGE_NAME,
    Converted,
    convert_graders,
    fingerprint_of,
    judge_of,
    weight_notes,
    without_judge,
)
from waza_engine.convert.keys import DISABLED, EXECUTORS, ORDER, SUITE_KEYS, TASK_KEYS
from waza_engine.convert.paths import moved_paths
from waza_engine.convert.readers import vally as read_vally
from waza_engine.convert.readers.waza import read_waza as read_suite
from waza_engine.convert.suite import Check, PortableFile, PortableTask
from waza_engine.convert.text.kept import JUDGE, WITHOUT, difference, restored
from waza_engine.convert.writers import waza as write_waza
from waza_engine.convert.writers.vally import (
    file_name,
    shares_of,
    task_data,
    top_data,
    trigger_stimulus,
)
from waza_engine.lib.pointer import Pointer
from waza_engine.model.suite import GraderEntry


def to_vally(path: Path, out: Path, *, process_dir: Path) -> Conversion:
    """Convert the suite of the eval at `path` to files for the folder `out`; paths are relative to it.

    Raises:
        LoadError: the suite cannot be loaded.

    """
    return _ToVally(path, out.absolute(), process_dir).conversion()


class _ToVally(Assembly):
    """Builds one spec."""

    def __init__(self, path: Path, out: Path, process_dir: Path) -> None:
        super().__init__(path, out, "waza", "vally")
        self.suite = read_suite(path, process_dir, self.comments)
        self._file = file_name(path)
        self._shared = convert_graders(self.suite.graders, "vally", self.suite.kept, (), always_kept=True)
        self._weighted: list[tuple[str, float]] = []
        self._rest: list[tuple[Pointer, PortableTask, Converted, Mapping[str, Any]]] = []

    def conversion(self) -> Conversion:
        """Return the spec and the losses."""
        suite = self.suite
        self.note_all(suite.notes)
        self.note_all((it, ("graders",)) for it in self._shared.notes)
        for each in self._shared.all:
            self.tell_grader(each)
        self.comments.of_source(suite.path)
        self.move_keys((self._file,), suite.path, (), SUITE_KEYS)
        order = suite.kept.get(ORDER)
        if isinstance(order, list):
            suite.tasks.sort(key=lambda it: order.index(it.id) if it.id in order else len(order))
        shared = [it for each in self._shared.all if each.restored for it in each.entries]
        stimuli = [self._stimulus(task, (self._file, "stimuli", at)) for at, task in enumerate(suite.tasks)]
        if any(it.trigger for it in suite.tasks):
            self.lose("Trigger tests become stimuli: each is a full run of the agent", suite.tasks[-1].path)
        weights = shares_of(self._weighted)
        top = top_data(suite)
        if weights:
            top["scoring"] = {"weights": weights}
        top = restored(top, suite.kept)
        top.pop(ORDER, None)
        found = (top.get("scoring") or {}).get("weights")
        if weights is None and not found:
            message = (
                "vally has one weight per grader type, but here graders of one type have different weights"
            )
            self.lose(message, suite.path)
        weights = found
        self._keep_top(top)
        for place, task, converted, stimulus in self._rest:
            self._keep_task(place, task, converted, stimulus, weights or {})
        data = {key: it for key, it in top.items() if key != "scoring"}
        if shared:
            data["graders"] = shared
        data["stimuli"] = stimuli
        if "scoring" in top:
            data["scoring"] = top["scoring"]
        return self.finish({self._file: moved_paths(data, "vally", self.folder, self.out)}, self._file)

    def _keep_top(self, top: Mapping[str, Any]) -> None:
        suite = self.suite
        read = read_vally.suite_from(moved_paths(top, "vally", self.folder, self.out))
        read.skill = read.skill or self._derived_skill()
        again = write_waza.top_data(read)
        original = moved_paths(suite.raw, "waza", self.folder, self.out)
        parts = difference(original, again)
        self.lose_keys("", parts, suite.path, ())
        if suite.executor and suite.executor not in EXECUTORS:
            self.lose_executor()
        parts |= self._shared.kept()
        if suite.disabled:
            parts[DISABLED] = [
                {**({"file": name} if name else {}), **moved_paths(raw, "waza", self.folder, self.out)}
                for name, raw in suite.disabled
            ]
        for name, raw in suite.disabled:
            place = suite.path.parent / "tasks" / name if name else suite.path
            self.lose(f"Task '{raw.get('id')}' is disabled and left out", place, kept=True)
        self.keep((self._file,), parts)

    def _derived_skill(self) -> str:
        """The skill that the way back finds without a tag, as it did when this suite was converted from vally."""
        without = self.suite.kept.get(WITHOUT) or {}
        return self.suite.skill if "tags/skill" in without or "tags" in without else ""

    def _stimulus(self, task: PortableTask, place: Pointer) -> dict[str, Any]:
        self.comments.of_source(task.path)
        self.comments.move(place, task.path, task.pointer)
        if task.trigger is not None:
            self.comments.move(place, task.path, task.pointer[:1])
            self.comments.move(place, task.path, ())
            self.keep(place, dict(task.raw))
            stimulus = trigger_stimulus(task)
            self._weighted += [(it["type"], 1.0) for it in stimulus["graders"]]
            return stimulus
        self.move_keys(place, task.path, task.pointer, TASK_KEYS)
        files = [self._on_disk(task, it) for it in task.files]
        stimulus = restored(task_data(task, self.suite, files, self.folder), task.kept)
        own = {it.name for it in task.graders}
        inlined = [it for it in self._shared.all if not it.restored and it.item.name not in own]
        taken = [str(it.get("name", "")) for each in self._shared.all for it in each.entries]
        converted = convert_graders(
            [*without_judge(task.graders, task.kept), *task.checks], "vally", task.kept, taken
        )
        converted.overridden = frozenset(it.item.name for it in self._shared.all)
        graders: list[dict[str, Any]] = []
        for each in [*inlined, *converted.all]:
            self.move_grader((*place, "graders"), len(graders), each)
            graders += each.entries
            weight = each.item.weight if isinstance(each.item, GraderEntry) else 1.0
            self._weighted += [(it["type"], weight) for it in each.entries]
        for each in converted.all:
            self.tell_grader(each)
        if not graders and converted.all and not any(it.restored for it in self._shared.all):
            graders = [judge_of(converted, "vally")]
            self.lose(
                f"'{task.id}': no check has an equivalent, so a judge decides about all",
                task.path,
                task.pointer,
            )
            self._weighted.append((graders[0]["type"], 1.0))
        if graders:
            stimulus["graders"] = graders
        for section, checks in converted.checks.items():
            stimulus[section] = {**(stimulus.get(section) or {}), **checks}
        for it in converted.notes:
            self.lose(it, task.path, task.pointer)
        self._rest.append((place, task, converted, stimulus))
        return stimulus

    def _on_disk(self, task: PortableTask, file: PortableFile) -> PortableFile:
        """The file with its place: what a task holds itself is written beside the spec."""
        if file.source is not None:
            return file
        name = PurePosixPath("fixtures", task.id, file.target)
        try:
            self.result.files[name] = file.content.decode("utf-8")
        except UnicodeDecodeError:
            self.lose(f"'{file.target}' is not a text file. Copy it to {name.parent}/ yourself", task.path)
        return file._replace(source=self.out / name)

    def _keep_task(
        self,
        place: Pointer,
        task: PortableTask,
        converted: Converted,
        stimulus: Mapping[str, Any],
        weights: Mapping[str, float],
    ) -> None:
        moved = moved_paths(stimulus, "vally", self.folder, self.out)
        again = write_waza.task_data(read_vally.task_from(moved, []), [])
        original = moved_paths({"id": task.id, **task.raw}, "waza", self.folder, self.out)
        for key in ("graders", "enabled"):
            original.pop(key, None)
        if original.get("name") == task.id:
            del original["name"]
        parts = difference(original, again)
        self.lose_keys(f"Task '{task.id}': ", parts, task.path, task.pointer)
        parts |= converted.kept()
        if not converted.entries and (stimulus.get("graders") or [{}])[0].get("name") == JUDGE_NAME:
            parts[JUDGE] = {JUDGE_NAME: fingerprint_of(stimulus["graders"][0])}
        parts |= weight_notes(converted, lambda kind: weights.get(kind, 0.0) if weights else 1.0)
        for each in converted.all:
            if isinstance(each.item, Check) and each.problem:
                parts.setdefault(each.item.section, {})[each.item.key] = each.item.value
        self.keep(place, parts)
