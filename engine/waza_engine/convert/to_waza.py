"""Convert a vally spec to a waza suite with a task file per stimulus (docs/reference/vally.md, section 13).

Constraints become graders (section 3).
"""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.comments import Comment, comments_of
from waza_engine.convert.conversion import Conversion, NotConvertibleError
from waza_engine.convert.entries import grader_entry, load_grader, numbered_name, original_entry, unique_names
from waza_engine.convert.losses import (
    SKILL,
    TAGS,
    TRIGGER,
    as_comment,
    from_comment,
    left_of_spec,
    left_of_stimulus,
)
from waza_engine.convert.servers import as_waza_server
from waza_engine.convert.vally_graders import DIFFERENCES, as_waza, required_file
from waza_engine.convert.yaml_writer import YamlFile
from waza_engine.dialects.waza.graders.behavior import BehaviorGrader
from waza_engine.dialects.waza.graders.skill_invocation import SkillInvocationGrader
from waza_engine.dialects.waza.graders.tool_calls import ToolCallsGrader
from waza_engine.graders.base import Grader
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.model.suite import Constraint, GraderEntry, Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping, read_text


def grader_of_constraint(constraint: Constraint) -> Grader | None:
    """Return the waza grader that passes when the constraint holds; None if waza has none."""
    value = constraint.value
    match constraint.key if value else "":
        case "max_tokens":
            return BehaviorGrader(max_tokens=value)
        case "max_duration":
            return BehaviorGrader(max_duration_ms=math.ceil(value))
        case "expect_tools":
            return ToolCallsGrader(required_tools=list(value))
        case "reject_tools" if "*" in value:
            return ToolCallsGrader(max_calls=0)
        case "reject_tools":
            return ToolCallsGrader(forbidden_tools=list(value))
        case "expect_skills":
            return SkillInvocationGrader(
                required_skills=list(dict.fromkeys(value)), mode="any_order", allow_extra=True
            )
        case "reject_skills" if "*" not in value:
            return SkillInvocationGrader(forbidden_skills=list(value))
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Spec:
    """The raw data of a spec: parts that the loaded suite no longer has."""

    data: Mapping[str, Any]

    def stimulus(self, index: int) -> Mapping[str, Any]:
        """Return the mapping of a stimulus."""
        stimuli = self.data.get("stimuli")
        return stimuli[index] if isinstance(stimuli, list) and isinstance(stimuli[index], Mapping) else {}

    def tags(self, index: int) -> dict[str, Any]:
        """Return the tags of a stimulus."""
        tags = plain(self.stimulus(index).get("tags"))
        return tags if isinstance(tags, dict) else {}

    @property
    def environment(self) -> Mapping[str, Any]:
        """The shared environment, if it is defined in the spec."""
        shared = self.data.get("environment")
        return shared if isinstance(shared, Mapping) else {}

    @property
    def named_environment(self) -> str:
        """The name of a shared environment that is defined elsewhere, or ""."""
        shared = plain(self.data.get("environment"))
        return shared if isinstance(shared, str) else ""

    def skill(self, otherwise: str) -> str:
        """Return the skill under test: the one noted by a conversion, else the agent's first skill."""
        tags = plain(self.data.get("tags"))
        if isinstance(tags, dict) and isinstance(tags.get(SKILL), str):
            return str(tags[SKILL])
        skills = plain(self.environment.get("skills"))
        return PurePosixPath(str(skills[0]).removesuffix("/SKILL.md")).name if skills else otherwise


def to_waza(path: Path, out: Path, *, process_dir: Path) -> Conversion:
    """Convert the spec at `path` to files of a waza suite for the folder `out`; paths are relative to it.

    Raises:
        LoadError: the spec cannot be loaded.

    """
    return _Writer(load_suite(path, process_dir=process_dir), out).conversion()


class _Writer:
    """Builds one suite."""

    def __init__(self, suite: Suite, out: Path) -> None:
        self._suite, self._out = suite, out
        self._spec = Spec(read_mapping(suite.path))
        self._comments = comments_of(read_text(suite.path))
        self._result = Conversion()
        self._names: set[str] = set()

    def conversion(self) -> Conversion:
        """Return the files and the losses."""
        at: dict[Pointer, Comment] = {}
        kept, own = from_comment(self._comments.get((), Comment()).above, "waza")
        data = self._top(at, kept)
        prompts: dict[str, list[dict[str, Any]]] = {}
        for index, task in enumerate(self._suite.tasks):
            tags = self._spec.tags(index)
            if TRIGGER in tags:
                option = (
                    "should_trigger_prompts" if self._expects_skill(task) else "should_not_trigger_prompts"
                )
                confidence = {"confidence": tags[TRIGGER]} if tags[TRIGGER] != "high" else {}
                prompts.setdefault(option, []).append({"prompt": task.prompt, **confidence})
            else:
                self._write_task(task, index)
        if prompts:
            self._result.files[PurePosixPath(TRIGGER_TESTS)] = YamlFile(
                {"skill": self._spec.skill(self._suite.name), **prompts}, {}
            ).text()
        header = [*own, *self._take_rest(()), *self._kept_of_spec()]
        self._result.files = {
            PurePosixPath("eval.yaml"): YamlFile(data, at, header).text(),
            **self._result.files,
        }
        return self._result

    def _top(self, at: dict[Pointer, Comment], kept: Mapping[str, Any]) -> dict[str, Any]:
        suite, settings = self._suite, self._suite.settings
        config: dict[str, Any] = {
            "trials_per_task": max(1, settings.trials),
            "timeout_seconds": settings.timeout_seconds,
            "executor": settings.executor,
            "model": settings.model,
        }
        if settings.judge_model:
            config["judge_model"] = settings.judge_model
        if settings.judge_reasoning_effort:
            config["judge_reasoning_effort"] = settings.judge_reasoning_effort
        environment = self._spec.environment
        if self._spec.named_environment and suite.tasks and (folders := suite.tasks[0].skill_directories):
            config["skill_directories"] = [self._from_out(Path(it)) for it in folders]
        if skills := plain(environment.get("skills")):
            config["skill_directories"] = [self._from_out(suite.directory / it) for it in skills]
        if servers := plain(environment.get("mcpServers")):
            config["mcp_servers"] = {name: as_waza_server(it) for name, it in servers.items()}
        data: dict[str, Any] = {"name": suite.name}
        if description := self._spec.data.get("description"):
            data["description"] = str(description)
        data["skill"] = self._spec.skill(self._suite.name)
        kept_config = kept.get("config")
        data |= {key: plain(it) for key, it in kept.items() if key != "config"}
        # vally does not add the skill to the prompt.
        config["inject_skill_body"] = False
        data["config"] = config | (plain(kept_config) if isinstance(kept_config, Mapping) else {})
        data["tasks"] = ["tasks/*.yaml"]
        for place, source in (
            (("name",), ("name",)),
            (("description",), ("description",)),
            (("skill",), ("tags", SKILL)),
            (("config",), ("defaults",)),
            (("config", "trials_per_task"), ("defaults", "runs")),
            (("config", "timeout_seconds"), ("defaults", "timeout")),
            (("config", "executor"), ("defaults", "executor")),
            (("config", "model"), ("defaults", "model")),
        ):
            if found := self._take_comment(source):
                at[place] = found
        return data

    def _take_comment(self, source: Pointer) -> Comment | None:
        """Take the comment at a pointer of the spec, because it has a new place."""
        return self._comments.pop(source, None)

    def _take_rest(self, start: Pointer) -> list[str]:
        """Take the comments below a pointer of the spec that have no place of their own."""
        found = [it for it in self._comments if it and it[: len(start)] == start]
        comments = [self._comments.pop(it) for it in found]
        return [line for it in comments for line in (*it.above, *([f" {it.beside}"] if it.beside else []))]

    def _write_task(self, task: Task, index: int) -> None:
        place: Pointer = ("stimuli", index)
        comment = self._take_comment(place) or Comment()
        kept, own = from_comment(comment.above, "waza")
        at: dict[Pointer, Comment] = {
            ("id",): self._take_comment((*place, "name")) or Comment(),
            ("inputs", "prompt"): self._take_comment((*place, "prompt")) or Comment(),
        }
        data: dict[str, Any] = {"id": task.id, "name": str(kept.pop("name", task.id))}
        restored = kept.pop("graders", [])
        tags = self._spec.tags(index)
        if isinstance(tags.get(TAGS), list):
            data["tags"] = tags[TAGS]
        inputs: dict[str, Any] = {"prompt": task.prompt}
        if task.follow_ups:
            inputs["follow_up_prompts"] = list(task.follow_ups)
        if task.files:
            inputs["files"] = [self._file(it.target, it.content) for it in task.files]
        if task.environment:
            inputs["environment"] = dict(task.environment)
        more = kept.pop("inputs", {})
        data["inputs"] = inputs | (plain(more) if isinstance(more, Mapping) else {})
        data |= {key: plain(it) for key, it in kept.items()}
        before = plain(restored) if isinstance(restored, list) else []
        graders: list[dict[str, Any]] = [*before]
        lost: list[dict[str, Any]] = []
        required_files = [file for entry in task.graders if (file := _required_file(entry))]
        for entry in task.graders:
            self._grader(entry, required_files, graders, lost, at)
        graders += self._constraint_graders(task, graders)
        if graders:
            data["graders"] = [*before, *unique_names(graders[len(before) :], before)]
        header = [*own, *self._take_rest(place), *self._kept_of_stimulus(index, task, lost)]
        name = PurePosixPath("tasks", f"{self._file_name(task.id)}.yaml")
        self._result.files[name] = YamlFile(data, at, header).text()

    def _grader(
        self,
        entry: GraderEntry,
        required_files: Sequence[str],
        graders: list[dict[str, Any]],
        lost: list[dict[str, Any]],
        at: dict[Pointer, Comment],
    ) -> None:
        try:
            converted = as_waza(_whole(entry), required_files)
        except NotConvertibleError as error:
            lost.append(original_entry(entry, weight=False))
            self._result.lose(f"Grader '{entry.name}': {error}", entry.path, entry.pointer, kept=True)
            return
        if found := self._take_comment(entry.pointer):
            at["graders", len(graders)] = found
        for number, grader in enumerate(converted):
            new = grader_entry(grader, numbered_name(entry.name, number, len(converted)))
            if entry.weight not in {0.0, 1.0}:
                new = {"type": new.pop("type"), "name": new.pop("name"), "weight": entry.weight, **new}
            graders.append(new)
            if change := DIFFERENCES.get(type(grader)):
                self._result.lose(f"Grader '{entry.name}': {change}", entry.path, entry.pointer)

    def _constraint_graders(self, task: Task, graders: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        taken = {it.get("name") for it in graders}
        made: list[dict[str, Any]] = []
        for constraint in task.constraints:
            grader = grader_of_constraint(constraint)
            name = f"constraint {constraint.key}"
            if grader is None:
                message = f"waza has no equivalent of the constraint '{constraint.key}'"
                self._result.lose(message, self._suite.path, constraint.pointer, kept=True)
            elif name not in taken:
                made.append(grader_entry(grader, name))
        return made

    def _kept_of_stimulus(self, index: int, task: Task, graders: list[dict[str, Any]]) -> list[str]:
        raw = self._spec.stimulus(index)
        parts = left_of_stimulus(raw)
        for key in parts:
            place: Pointer = ("stimuli", index, key)
            message = f"Stimulus '{plain(raw.get('name'))}': waza has no equivalent of '{key}'"
            self._result.lose(message, self._suite.path, place, kept=True)
        constraints = raw.get("constraints")
        unsaid = [it.key for it in task.constraints if grader_of_constraint(it) is None]
        if isinstance(constraints, Mapping) and unsaid:
            parts["constraints"] = {it: plain(constraints[it]) for it in unsaid}
        if graders:
            parts["graders"] = graders
        return as_comment(parts, "vally")

    def _kept_of_spec(self) -> list[str]:
        commands: tuple[str, ...] = ()
        if named := self._spec.named_environment:
            # Its paths are relative to the spec, not to the result, so its content is written out.
            message = f"The environment '{named}' is copied into each task"
            self._result.lose(message, self._suite.path, ("environment",))
            commands = self._suite.tasks[0].setup if self._suite.tasks else ()
        parts = left_of_spec(self._spec.data, commands)
        for key in parts:
            self._result.lose(f"waza has no equivalent of '{key}'", self._suite.path, (key,), kept=True)
        return as_comment(parts, "vally")

    def _file(self, target: str, content: bytes) -> dict[str, str]:
        name = PurePosixPath("fixtures", target)
        there = self._result.files.get(name)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            self._result.lose(
                f"'{target}' is not a text file. Copy it to fixtures/ yourself", self._suite.path
            )
            return {"path": target}
        if there is not None and there != text:
            return {"path": target, "content": text}
        self._result.files[name] = text
        return {"path": target}

    def _expects_skill(self, task: Task) -> bool:
        config = plain(task.graders[0].config) if task.graders else {}
        return bool(isinstance(config, dict) and config.get("required"))

    def _file_name(self, task_id: str) -> str:
        name = base = re.sub(r"[^\w.-]+", "-", task_id).strip("-.") or "task"
        number = 2
        while name.lower() in self._names:
            name, number = f"{base}-{number}", number + 1
        self._names.add(name.lower())
        return name

    def _from_out(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._out)).as_posix()


def _required_file(entry: GraderEntry) -> str | None:
    try:
        return required_file(_whole(entry))
    except NotConvertibleError:
        return None


def _whole(entry: GraderEntry) -> Grader:
    """The grader of an entry, which must grade the whole conversation."""
    if entry.turn is not None:
        raise NotConvertibleError("waza grades whole conversations; for single turns it has checkpoints")
    return load_grader(entry)
