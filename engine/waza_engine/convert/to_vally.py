"""Convert a waza suite to one vally spec with a stimulus per task (docs/reference/vally.md, section 14)."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.comments import Comment, CommentMap
from waza_engine.convert.conversion import Conversion, NotConvertibleError
from waza_engine.convert.entries import (
    effective_entries,
    grader_entry,
    load_grader,
    numbered_name,
    original_entry,
)
from waza_engine.convert.losses import (
    SKILL,
    TAGS,
    TRIGGER,
    as_comment,
    from_comment,
    left_of_eval,
    left_of_task,
)
from waza_engine.convert.servers import as_vally_server
from waza_engine.convert.waza_graders import DIFFERENCES, as_vally
from waza_engine.convert.yaml_writer import YamlFile
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry, Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping


def to_vally(path: Path, out: Path, *, process_dir: Path) -> Conversion:
    """Convert the suite of the eval at `path` to files for the folder `out`; paths are relative to it.

    Raises:
        LoadError: the suite cannot be loaded.

    """
    suite = load_suite(path, process_dir=process_dir)
    return _Writer(suite, out, process_dir).conversion()


class _Writer:
    """Builds one spec."""

    def __init__(self, suite: Suite, out: Path, process_dir: Path) -> None:
        self._suite, self._out, self._process_dir = suite, out, process_dir
        self._eval = read_mapping(suite.path)
        self._comments = CommentMap()
        self._result = Conversion()
        self._weights: dict[str, set[float]] = {}

    def conversion(self) -> Conversion:
        """Return the spec and the losses."""
        kept, own = from_comment(self._comments.header(self._suite.path), "vally")
        data = _merge(self._top(), kept)
        text = YamlFile(
            data, self._comments.at, [*own, *self._comments.place_rest(), *self._kept_of_eval()]
        ).text()
        self._result.files[PurePosixPath(_file_name(self._suite.path))] = text
        return self._result

    def _top(self) -> dict[str, Any]:
        suite = self._suite
        data: dict[str, Any] = {"name": suite.name}
        self._comments.move(("name",), suite.path, ("name",))
        if description := self._eval.get("description"):
            data["description"] = str(description)
            self._comments.move(("description",), suite.path, ("description",))
        if suite.skill:
            data["tags"] = {SKILL: suite.skill}
            self._comments.move(("tags", SKILL), suite.path, (SKILL,))
        if environment := self._environment():
            data["environment"] = environment
        data["defaults"] = self._defaults()
        self._comments.move(("defaults",), suite.path, ("config",))
        data["stimuli"] = [
            *(self._stimulus(it, ("stimuli", index)) for index, it in enumerate(suite.tasks)),
            *self._trigger_stimuli(),
        ]
        if scoring := self._scoring():
            data["scoring"] = scoring
        for task in suite.disabled:
            self._result.lose(f"Task '{task.id}' is disabled and left out", task.path, task.pointer)
        return data

    def _environment(self) -> dict[str, Any]:
        settings = self._suite.settings
        made: dict[str, Any] = {}
        if settings.skill_directories:
            made["skills"] = [self._from_out(Path(it)) for it in settings.skill_directories]
        if settings.mcp_servers:
            made["mcpServers"] = {name: as_vally_server(it) for name, it in settings.mcp_servers.items()}
        return made

    def _defaults(self) -> dict[str, Any]:
        settings = self._suite.settings
        made: dict[str, Any] = {"runs": settings.trials, "timeout": f"{settings.timeout_seconds}s"}
        given = {
            "model": settings.model,
            "judge_model": settings.judge_model,
            "judge_reasoning_effort": settings.judge_reasoning_effort,
            "executor": settings.executor,
        }
        for here, there in (
            ("trials_per_task", "runs"),
            ("timeout_seconds", "timeout"),
            *((it, it) for it in given),
        ):
            self._comments.move(("defaults", there), self._suite.path, ("config", here))
        return made | {key: it for key, it in given.items() if it}

    def _stimulus(self, task: Task, place: Pointer) -> dict[str, Any]:
        source = task.path or self._suite.path
        self._comments.move(place, source, task.pointer)
        data: dict[str, Any] = {"name": task.id}
        self._comments.move((*place, "name"), source, (*task.pointer, "id"))
        if task.follow_ups:
            data["turns"] = [task.prompt, *task.follow_ups]
        else:
            data["prompt"] = task.prompt
        self._comments.move((*place, "prompt"), source, (*task.pointer, "inputs", "prompt"))
        if task.tags:
            data["tags"] = {TAGS: list(task.tags)}
            self._comments.move((*place, "tags", TAGS), source, (*task.pointer, "tags"))
        if environment := self._task_environment(task):
            data["environment"] = environment
        graders: list[dict[str, Any]] = []
        kept: list[dict[str, Any]] = []
        entries = (*self._suite.graders, *task.graders)
        counting = effective_entries(entries)
        for entry in entries:
            if counting[entry.name] is entry:
                self._grader(entry, (*place, "graders"), graders, kept)
            else:
                message = f"Grader '{entry.name or entry.type}' is left out: a later grader has the same name, so waza never runs it"
                self._result.lose(message, entry.path or self._suite.path, entry.pointer)
        restored, own = from_comment(self._comments.header(source), "vally")
        if source == self._suite.path:
            restored, own = {}, []
        if graders := graders + plain(restored.pop("graders", [])):
            data["graders"] = graders
        if own:
            self._comments.add(place, Comment(tuple(own)))
        self._keep_of_task(task, place, kept)
        return _merge(data, restored)

    def _task_environment(self, task: Task) -> dict[str, Any]:
        made: dict[str, Any] = {}
        files: list[dict[str, str]] = []
        raw = _at(read_mapping(task.path or self._suite.path), task.pointer)
        fixtures = self._suite.directory / "fixtures"
        if context_dir := plain(raw.get("context_dir")):
            fixtures = self._process_dir / str(context_dir)
        for file in task.files:
            source = fixtures / file.target
            if source.is_file() and source.read_bytes() == file.content:
                files.append({"src": self._from_out(source), "dest": file.target})
                continue
            # No file has this content: it was inline in the task, so it becomes a file.
            name = PurePosixPath("fixtures", task.id, file.target)
            files.append({"src": str(name), "dest": file.target})
            try:
                self._result.files[name] = file.content.decode("utf-8")
            except UnicodeDecodeError:
                self._result.lose(
                    f"'{file.target}' is not a text file. Copy it to {name.parent}/ yourself", task.path
                )
        if files:
            made["files"] = files
        if task.environment:
            made["env"] = dict(task.environment)
        return made

    def _grader(
        self, entry: GraderEntry, place: Pointer, graders: list[dict[str, Any]], kept: list[dict[str, Any]]
    ) -> None:
        source = entry.path or self._suite.path
        try:
            converted = as_vally(load_grader(entry))
        except NotConvertibleError as error:
            kept.append(original_entry(entry, weight=True))
            message = f"Grader '{entry.name or entry.type}': {error}"
            self._result.lose(message, source, entry.pointer, kept=True)
            return
        self._comments.move((*place, len(graders)), source, entry.pointer)
        for number, (grader, part) in enumerate(converted):
            if part:
                self._comments.move((*place, len(graders)), source, (*entry.pointer, "config", *part))
            graders.append(grader_entry(grader, numbered_name(entry.name, number, len(converted))))
            self._weights.setdefault(grader.type_name, set()).add(entry.weight)
            if change := DIFFERENCES.get(type(grader)):
                self._result.lose(f"Grader '{entry.name or entry.type}': {change}", source, entry.pointer)

    def _keep_of_task(self, task: Task, place: Pointer, graders: list[dict[str, Any]]) -> None:
        source = task.path or self._suite.path
        parts = left_of_task(_at(read_mapping(source), task.pointer))
        if task.name == task.id:
            parts.pop("name", None)
        for key in parts:
            self._result.lose(
                f"Task '{task.id}': vally has no equivalent of '{key}'",
                source,
                (*task.pointer, key),
                kept=True,
            )
        if graders:
            parts["graders"] = graders
        if lines := as_comment(parts, "waza"):
            self._comments.put_first(place, lines)

    def _kept_of_eval(self) -> list[str]:
        parts = left_of_eval(self._eval)
        for key in (
            *(it for it in parts if it != "config"),
            *(f"config.{it}" for it in parts.get("config", ())),
        ):
            self._result.lose(
                f"vally has no equivalent of '{key}'", self._suite.path, tuple(key.split(".")), kept=True
            )
        return as_comment(parts, "waza")

    def _trigger_stimuli(self) -> list[dict[str, Any]]:
        tests = self._suite.triggers
        made: list[dict[str, Any]] = []
        for number, test in enumerate(tests.prompts if tests else (), 1):
            option = "required" if test.should_trigger else "disallowed"
            skill = tests.skill if tests else ""
            made.append(
                {
                    "name": f"trigger-{number}",
                    "prompt": test.prompt,
                    "tags": {TRIGGER: test.confidence},
                    "graders": [
                        {"type": "skill-invocation", "config": {option: [skill or self._suite.skill]}}
                    ],
                }
            )
        if made and tests:
            self._result.lose("Trigger tests become stimuli: each is a full run of the agent", tests.path)
        return made

    def _scoring(self) -> dict[str, Any]:
        """Weights by type, if all graders of each type have the same weight."""
        if all(it == {1.0} for it in self._weights.values()):
            return {}
        if any(len(it) > 1 for it in self._weights.values()):
            self._result.lose(
                "vally has one weight per grader type, but here graders of one type have different weights",
                self._suite.path,
            )
            return {}
        weights = {name: next(iter(it)) for name, it in self._weights.items()}
        total = sum(weights.values())
        shares = {name: round(it / total, 4) for name, it in weights.items()}
        last = next(reversed(shares))
        shares[last] = round(1 - sum(it for name, it in shares.items() if name != last), 4)
        return {"weights": shares}

    def _from_out(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._out)).as_posix()


def _merge(data: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Add the parts restored from a comment; mappings in both are merged."""
    for key, value in more.items():
        there = data.get(key)
        data[key] = (
            {**there, **plain(value)}
            if isinstance(there, dict) and isinstance(value, Mapping)
            else plain(value)
        )
    return data


def _file_name(path: Path) -> str:
    return "eval.yaml" if path.stem == "eval" else f"{path.name.partition('.')[0]}.eval.yaml"


def _at(data: Any, pointer: Pointer) -> Mapping[str, Any]:
    for part in pointer:
        data = data[part]
    return data if isinstance(data, Mapping) else {}
