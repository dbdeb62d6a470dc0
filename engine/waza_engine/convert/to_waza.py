"""Convert a vally spec to a waza suite with a task file per stimulus (docs/reference/vally.md, section 13).

Constraints become graders (section 3).
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.assembly import Assembly
from waza_engine.convert.conversion import Conversion
from waza_engine.convert.graders.stand_ins import (
    JUDGE_NAME,
    Converted,
    StandIns,
    convert_graders,
    fingerprint,
    fingerprint_of,
    judge_of,
    without_judge,
)
from waza_engine.convert.keys import DISABLED, EXECUTORS, ORDER, SUITE_KEYS, TASK_KEYS
from waza_engine.convert.paths import moved_paths
from waza_engine.convert.readers import waza as read_waza
from waza_engine.convert.readers.vally import read_vally as read_suite
from waza_engine.convert.suite import Check, PortableFile, PortableTask
from waza_engine.convert.text.kept import GRADERS, JUDGE, NAMES, STANDS_IN, WEIGHTS, difference, restored
from waza_engine.convert.writers import vally as write_vally
from waza_engine.convert.writers import waza as write_waza
from waza_engine.convert.writers.waza import file_entry, file_name, task_data, top_data
from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.model.suite import GraderEntry

_EVAL = "eval.yaml"


def to_waza(path: Path, out: Path, *, process_dir: Path) -> Conversion:
    """Convert the spec at `path` to files of a waza suite for the folder `out`; paths are relative to it.

    Raises:
        LoadError: the spec cannot be loaded.

    """
    return _ToWaza(path, out.absolute(), process_dir).conversion()


class _ToWaza(Assembly):
    """Builds one suite."""

    def __init__(self, path: Path, out: Path, process_dir: Path) -> None:
        super().__init__(path, out, "vally", "waza")
        self.suite = read_suite(path, process_dir, self.comments)
        self._files: dict[str, Mapping[str, Any]] = {}
        self._names: set[str] = set()
        self._contents: dict[str, bytes] = {}
        self._sources: dict[str, Path] = {}
        self._order: dict[str, str] = {}
        self._weighted: list[tuple[str, float]] = []

    def conversion(self) -> Conversion:
        """Return the files and the losses."""
        suite = self.suite
        self.note_all(suite.notes)
        self.comments.of_source(suite.path)
        self.comments.move((_EVAL,), suite.path, ())
        self.move_keys((_EVAL,), suite.path, (), SUITE_KEYS)
        top = restored(top_data(suite), suite.kept)
        disabled = top.pop(DISABLED, [])
        shared = convert_graders(suite.graders, "waza", {}, (), always_kept=True)
        graders = self._lifted()
        for each in shared.all:
            self.move_grader((_EVAL, "graders"), len(graders), each)
            graders += self._weighty(each, suite.kept)
            self.tell_grader(each)
        taken = {str(it.get("name", "")) for it in graders}
        for task in suite.tasks:
            if task.trigger is None:
                self._task(task, taken)
        self._triggers()
        for number, raw in enumerate(disabled if isinstance(disabled, list) else [], 1):
            name = str(raw.pop("file", "")) or f"disabled-{number}.yaml"
            self._files[f"tasks/{file_name(name.removesuffix('.yaml'), self._names)}.yaml"] = moved_paths(
                raw, "waza", self.folder, self.out
            )
        if graders:
            top["graders"] = graders
        top["tasks"] = ["tasks/*.yaml"]
        self._keep_top(top, shared)
        self._files = {_EVAL: moved_paths(top, "waza", self.folder, self.out), **self._files}
        result = self.finish(self._files, _EVAL)
        self._write_fixtures()
        return result

    def _keep_top(self, top: Mapping[str, Any], shared: Converted) -> None:
        suite = self.suite
        again = write_vally.top_data(read_waza.suite_from(moved_paths(top, "waza", self.folder, self.out)))
        if weights := write_vally.shares_of(self._weighted):
            again["scoring"] = {"weights": weights}
        original = moved_paths(suite.raw, "vally", self.folder, self.out)
        for key in ("stimuli", "graders"):
            original.pop(key, None)
        if isinstance(executor := (original.get("defaults") or {}).get("executor"), dict) and set(
            executor
        ) == {"name"}:
            original["defaults"]["executor"] = executor["name"]
        parts = difference(original, again)
        self.lose_keys("", parts, suite.path, (), carried=[("environment", "files"), ("scoring", "weights")])
        for kind in sorted({it.type for it in suite.entries if it.weight <= 0}):
            message = f"Graders of type '{kind}' have no weight here; in waza they count"
            self.lose(message, suite.path, ("scoring", "weights"), kept=True)
        if not suite.model:
            message = f"The spec names no model; '{write_waza.DEFAULT_MODEL}' is written, because waza's choice changes"
            self.lose(message, suite.path, ("defaults",))
        names = [it.id for it in suite.tasks if it.trigger is None]
        if sorted(names, key=lambda it: self._order[it]) != names:
            parts[ORDER] = names
        if suite.executor and suite.executor not in EXECUTORS:
            self.lose_executor()
        self.keep((_EVAL,), parts | shared.kept())

    def _lifted(self) -> list[dict[str, Any]]:
        """Take the graders that all stimuli have from waza's eval back out of them."""
        records = self.suite.kept.get(GRADERS)
        tasks = [it for it in self.suite.tasks if it.trigger is None]
        lifted: list[dict[str, Any]] = []
        for record in records if isinstance(records, list) else ():
            if not isinstance(record, dict) or "type" not in record:
                continue
            standing = record.get(STANDS_IN)
            original = {key: it for key, it in record.items() if key not in {STANDS_IN, "at"}}
            if not isinstance(standing, Mapping):
                lifted.append(original)
                continue
            if not tasks or not all(_has(it, standing) or _overrides(it, record, standing) for it in tasks):
                message = f"Grader '{record.get('name') or record['type']}' stays in each task, because what stood in for it was changed"
                self.lose(message, self.suite.path)
                continue
            for number, task in enumerate(tasks):
                here = [it for it in task.graders if it.original_name in standing]
                if here and number == 0 and here[0].path:
                    self.comments.move((_EVAL, "graders", len(lifted)), here[0].path, here[0].pointer)
                task.graders = [it for it in task.graders if it not in here]
            lifted.append(original)
        return lifted

    def _task(self, task: PortableTask, taken: set[str]) -> None:
        file = f"tasks/{file_name(task.id, self._names)}.yaml"
        self._order[task.id] = file
        self.comments.move((file,), task.path, task.pointer)
        self.move_keys((file,), task.path, task.pointer, TASK_KEYS)
        for problem, pointer in task.missing_files:
            self.lose(f"Stimulus '{task.id}': {problem}; the file is left out", task.path, pointer, kept=True)
        files = [self._input(task, it) for it in task.files]
        data = restored(task_data(task, files), task.kept)
        data = {"id": data["id"], "name": data.get("name", task.id)} | data
        converted = convert_graders(
            [*without_judge(task.graders, task.kept), *task.checks], "waza", task.kept, taken
        )
        graders: list[dict[str, Any]] = []
        for each in converted.all:
            self.move_grader((file, "graders"), len(graders), each)
            graders += self._weighty(each, task.kept)
            self.tell_grader(each)
            if isinstance(each.item, GraderEntry):
                kept_weight = each.item.weight if each.entries and each.item.weight > 0 else 1.0
                self._weighted.append((each.item.type, kept_weight))
        if converted.all and not graders and not taken:
            graders = [judge_of(converted, "waza", task.raw.get("rubric"))]
            self.lose(
                f"'{task.id}': no check has an equivalent, so a judge decides about all",
                task.path,
                task.pointer,
            )
        if graders:
            data["graders"] = graders
        for section, checks in converted.checks.items():
            data[section] = {**(data.get(section) or {}), **checks}
        for it in converted.notes:
            self.lose(it, task.path, task.pointer)
        self._files[file] = moved_paths(data, "waza", self.folder, self.out)
        self._keep_task(file, task, converted)

    def _keep_task(self, file: str, task: PortableTask, converted: Converted) -> None:
        read = read_waza.task_from(self._files[file])
        entries = (self._files[file].get("inputs") or {}).get("files") or ()
        staged = [PortableFile(it["path"], b"", self.out / "fixtures" / it["path"]) for it in entries]
        again = write_vally.task_data(read, self.suite, staged, self.out)
        original = moved_paths(task.raw, "vally", self.folder, self.out)
        for key in ("graders", "constraints"):
            original.pop(key, None)
        parts = difference(original, again)
        self.lose_keys(f"Stimulus '{task.id}': ", parts, task.path, task.pointer)
        parts |= converted.kept()
        if not converted.entries and (judge := self._files[file].get("graders")):
            parts[JUDGE] = {JUDGE_NAME: fingerprint_of(judge[0])}
        for each in converted.all:
            if isinstance(each.item, Check) and each.problem:
                parts.setdefault(each.item.section, {})[each.item.key] = each.item.value
        self.keep((file,), parts)

    def _weighty(self, each: StandIns, kept: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The entries of the result, with their weight."""
        item = each.item
        if each.restored or not isinstance(item, GraderEntry):
            return each.entries
        notes = kept.get(WEIGHTS)
        note = notes.get(item.original_name or item.type) if isinstance(notes, Mapping) else None
        weight = item.weight
        if isinstance(note, Mapping) and note.get("of") == weight:
            weight = note.get("is", weight)
        if weight in {0.0, 1.0}:
            return each.entries
        return [
            {key: it[key] for key in ("type", "name") if key in it} | {"weight": weight} | it
            for it in each.entries
        ]

    def _input(self, task: PortableTask, file: PortableFile) -> dict[str, str]:
        entry = file_entry(file, self._contents)
        if file.source is not None and "content" not in entry:
            self._sources[file.target] = file.source
        elif "content" in entry and b"\xef\xbf\xbd" in entry["content"].encode():
            self.lose(
                f"'{file.target}' of '{task.id}' is not a text file, and another one has its name", task.path
            )
        return entry

    def _write_fixtures(self) -> None:
        """Write the input files: texts as they are, others as copies."""
        for target, content in self._contents.items():
            name = PurePosixPath("fixtures", target)
            try:
                self.result.files[name] = content.decode("utf-8")
            except UnicodeDecodeError:
                if target in self._sources:
                    self.result.copies[name] = self._sources[target]

    def _triggers(self) -> None:
        rows: dict[str, list[dict[str, Any]]] = {}
        skill = ""
        for task in self.suite.tasks:
            if (trigger := task.trigger) is None:
                continue
            key = "should_trigger_prompts" if trigger.should_trigger else "should_not_trigger_prompts"
            listed = rows.setdefault(key, [])
            self.comments.move((TRIGGER_TESTS, key, len(listed)), task.path, task.pointer)
            confidence = {"confidence": trigger.confidence} if trigger.confidence != "high" else {}
            reason = {key: it for key, it in task.kept.items() if key == "reason"}
            listed.append({"prompt": task.prompt, **confidence, **reason})
            skill = skill or trigger.skill
        if rows:
            self._files[TRIGGER_TESTS] = {"skill": skill, **rows}


def _has(task: PortableTask, standing: Mapping[str, Any]) -> bool:
    """Whether a stimulus has all stand-ins unchanged."""
    found = {it.original_name: it for it in task.graders if it.original_name in standing}
    return len(found) == len(standing) and all(
        fingerprint(it) == standing[name] for name, it in found.items()
    )


def _overrides(task: PortableTask, record: Mapping[str, Any], standing: Mapping[str, Any]) -> bool:
    """Whether a grader of the task replaced the shared one, because it has the same name."""
    names: Any = task.kept.get(NAMES)
    names = names if isinstance(names, Mapping) else {}
    kept: Any = task.kept.get(GRADERS)
    kept = kept if isinstance(kept, list) else []
    own = {str(names.get(it.original_name, it.original_name)) for it in task.graders}
    own |= {str(it.get("name", "")) for it in kept if isinstance(it, Mapping)}
    return str(record.get("name", "")) in own and not any(it.original_name in standing for it in task.graders)
