"""A waza suite as one vally spec (docs/reference/vally.md, section 14): a stimulus for each task."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.comments import CarriedComments, Comment
from waza_engine.convert.conversion import CannotSayError, Conversion
from waza_engine.convert.entries import as_given, last_of_names, name_apart, typed, written
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
from waza_engine.convert.waza_graders import CHANGED, as_vally
from waza_engine.convert.yaml_writer import Written
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry, Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping


def to_vally(path: Path, out: Path, *, process_dir: Path) -> Conversion:
    """The suite of the eval at `path` as files for the folder `out`; paths in them are relative to it.

    Raises:
        LoadError: the suite cannot be loaded.

    """
    suite = load_suite(path, process_dir=process_dir)
    return _Writer(suite, out, process_dir).conversion()


class _Writer:
    """Puts one spec together."""

    def __init__(self, suite: Suite, out: Path, process_dir: Path) -> None:
        self._suite, self._out, self._process_dir = suite, out, process_dir
        self._eval = read_mapping(suite.path)
        self._comments = CarriedComments()
        self._result = Conversion()
        self._weights: dict[str, set[float]] = {}

    def conversion(self) -> Conversion:
        """The spec and what was lost."""
        kept, own = from_comment(self._comments.header(self._suite.path), "vally")
        data = _merged(self._top(), kept)
        text = Written(
            data, self._comments.at, [*own, *self._comments.homeless(), *self._kept_of_eval()]
        ).text()
        self._result.files[PurePosixPath(_file_name(self._suite.path))] = text
        return self._result

    def _top(self) -> dict[str, Any]:
        suite = self._suite
        data: dict[str, Any] = {"name": suite.name}
        self._comments.carry(("name",), suite.path, ("name",))
        if description := self._eval.get("description"):
            data["description"] = str(description)
            self._comments.carry(("description",), suite.path, ("description",))
        if suite.skill:
            data["tags"] = {SKILL: suite.skill}
            self._comments.carry(("tags", SKILL), suite.path, (SKILL,))
        if environment := self._environment():
            data["environment"] = environment
        data["defaults"] = self._defaults()
        self._comments.carry(("defaults",), suite.path, ("config",))
        data["stimuli"] = [
            *(self._stimulus(it, ("stimuli", index)) for index, it in enumerate(suite.tasks)),
            *self._trigger_stimuli(),
        ]
        if scoring := self._scoring():
            data["scoring"] = scoring
        for it in suite.disabled:
            self._result.lose(f"Task '{it.id}' is disabled, and left out", it.path, it.pointer)
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
            self._comments.carry(("defaults", there), self._suite.path, ("config", here))
        return made | {key: it for key, it in given.items() if it}

    def _stimulus(self, task: Task, place: Pointer) -> dict[str, Any]:
        source = task.path or self._suite.path
        self._comments.carry(place, source, task.pointer)
        data: dict[str, Any] = {"name": task.id}
        self._comments.carry((*place, "name"), source, (*task.pointer, "id"))
        if task.follow_ups:
            data["turns"] = [task.prompt, *task.follow_ups]
        else:
            data["prompt"] = task.prompt
        self._comments.carry((*place, "prompt"), source, (*task.pointer, "inputs", "prompt"))
        if task.tags:
            data["tags"] = {TAGS: list(task.tags)}
            self._comments.carry((*place, "tags", TAGS), source, (*task.pointer, "tags"))
        if environment := self._task_environment(task):
            data["environment"] = environment
        graders: list[dict[str, Any]] = []
        kept: list[dict[str, Any]] = []
        entries = (*self._suite.graders, *task.graders)
        counting = last_of_names(entries)
        for entry in entries:
            if counting[entry.name] is entry:
                self._grader(entry, (*place, "graders"), graders, kept)
            else:
                message = f"Grader '{entry.name or entry.type}' is left out: waza never asks it, a later one has its name"
                self._result.lose(message, entry.path or self._suite.path, entry.pointer)
        restored, own = from_comment(self._comments.header(source), "vally")
        if source == self._suite.path:
            restored, own = {}, []
        if graders := graders + plain(restored.pop("graders", [])):
            data["graders"] = graders
        if own:
            self._comments.add(place, Comment(tuple(own)))
        self._keep_of_task(task, place, kept)
        return _merged(data, restored)

    def _task_environment(self, task: Task) -> dict[str, Any]:
        made: dict[str, Any] = {}
        files: list[dict[str, str]] = []
        raw = _at(read_mapping(task.path or self._suite.path), task.pointer)
        fixtures = self._suite.directory / "fixtures"
        if context_dir := plain(raw.get("context_dir")):
            fixtures = self._process_dir / str(context_dir)
        for it in task.files:
            found = fixtures / it.target
            if found.is_file() and found.read_bytes() == it.content:
                files.append({"src": self._from_out(found), "dest": it.target})
                continue
            # No such file has this content: it stood in the task, so it becomes a file.
            name = PurePosixPath("fixtures", task.id, it.target)
            files.append({"src": str(name), "dest": it.target})
            try:
                self._result.files[name] = it.content.decode("utf-8")
            except UnicodeDecodeError:
                self._result.lose(f"'{it.target}' is no text: put it into {name.parent}/ yourself", task.path)
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
            made = as_vally(typed(entry))
        except CannotSayError as error:
            kept.append(as_given(entry, weight=True))
            message = f"Grader '{entry.name or entry.type}': {error}"
            self._result.lose(message, source, entry.pointer, kept=True)
            return
        self._comments.carry((*place, len(graders)), source, entry.pointer)
        for number, (it, part) in enumerate(made):
            if part:
                self._comments.carry((*place, len(graders)), source, (*entry.pointer, "config", *part))
            graders.append(written(it, name_apart(entry.name, number, len(made))))
            self._weights.setdefault(it.type_name, set()).add(entry.weight)
            if said := CHANGED.get(type(it)):
                self._result.lose(f"Grader '{entry.name or entry.type}': {said}", source, entry.pointer)

    def _keep_of_task(self, task: Task, place: Pointer, graders: list[dict[str, Any]]) -> None:
        source = task.path or self._suite.path
        parts = left_of_task(_at(read_mapping(source), task.pointer))
        if task.name == task.id:
            parts.pop("name", None)
        for key in parts:
            self._result.lose(
                f"Task '{task.id}': vally has nothing like '{key}'", source, (*task.pointer, key), kept=True
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
                f"vally has nothing like '{key}'", self._suite.path, tuple(key.split(".")), kept=True
            )
        return as_comment(parts, "waza")

    def _trigger_stimuli(self) -> list[dict[str, Any]]:
        tests = self._suite.triggers
        made: list[dict[str, Any]] = []
        for number, it in enumerate(tests.prompts if tests else (), 1):
            option = "required" if it.should_trigger else "disallowed"
            skill = tests.skill if tests else ""
            made.append(
                {
                    "name": f"trigger-{number}",
                    "prompt": it.prompt,
                    "tags": {TRIGGER: it.confidence},
                    "graders": [
                        {"type": "skill-invocation", "config": {option: [skill or self._suite.skill]}}
                    ],
                }
            )
        if made and tests:
            self._result.lose(
                "The trigger tests are stimuli now: each is a whole run of the agent", tests.path
            )
        return made

    def _scoring(self) -> dict[str, Any]:
        """Weights by type, as far as all graders of a type have the same."""
        if all(it == {1.0} for it in self._weights.values()):
            return {}
        if any(len(it) > 1 for it in self._weights.values()):
            self._result.lose(
                "vally's weights are those of a type, here graders of one type differ", self._suite.path
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


def _merged(data: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping with what a comment had kept; mappings in both are joined."""
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
