"""Read a waza suite into the suite between the dialects (docs/reference/waza-formats.md, sections 4 to 6)."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waza_engine.convert.suite import Check, PortableFile, PortableSuite, PortableTask, Trigger
from waza_engine.convert.text.comments import CommentMap
from waza_engine.convert.text.kept import kept_in
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import file_bytes
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import EXPECTED_TEXTS, Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping
from waza_engine.project.skills import skills
from waza_engine.project.suite_files import SuiteFiles

_OF_TASKS = ("tasks", "tasks_from", "range", "inputs", "graders")
"""The keys of an eval that name its tasks and graders: the suite holds what they lead to."""


def read_waza(path: Path, process_dir: Path, comments: CommentMap) -> PortableSuite:
    """Return the suite of the eval at `path`.

    Raises:
        LoadError: the suite cannot be loaded.

    """
    loaded = load_suite(path, process_dir=process_dir)
    folder = path.parent.absolute()
    raw = plain(read_mapping(path))
    suite = suite_from({key: it for key, it in raw.items() if key not in _OF_TASKS})
    suite.path, suite.name, suite.skill = path, loaded.name, loaded.skill
    suite.model, suite.graders = loaded.settings.model, list(loaded.graders)
    suite.kept = _kept(suite, comments, path, (), "the eval")
    if loaded.settings.skill_directories and not suite.skills:
        suite.skills = [
            Path(os.path.relpath(it, folder)).as_posix() for it in loaded.settings.skill_directories
        ]
    if not suite.skills and "none" not in (_mapping(raw.get("config")).get("skill_directories") or ()):
        suite.skills = _skill_folders(path, raw, suite.skill)
    for task in loaded.tasks:
        suite.tasks.append(_task(suite, loaded, task, process_dir, comments))
    _add_triggers(suite, loaded)
    suite.disabled = [
        (it.path.name if it.path and not it.pointer else "", _self_contained(_raw(it, loaded), it))
        for it in loaded.disabled
    ]
    for it in loaded.disabled:
        if it.path is not None:
            comments.of_source(it.path)
    return suite


def _skill_folders(path: Path, raw: Mapping[str, Any], name: str) -> list[str]:
    """The folder of the skill under test: waza finds it in the project, vally's agents have listed skills only."""
    files = Files()
    around = skills(SuiteFiles(path.absolute(), raw, files, None, None, "waza"), files)
    found = (
        next((it.path for it in around if it.name == name and it.path.name == SKILL_FILE), None)
        if name
        else None
    )
    return [Path(os.path.relpath(found.parent, path.parent.absolute())).as_posix()] if found else []


def suite_from(raw: Mapping[str, Any]) -> PortableSuite:
    """Return the settings in the data of an eval, without tasks."""
    config = _mapping(raw.get("config"))
    trials, seconds = config.get("trials_per_task"), config.get("timeout_seconds")
    return PortableSuite(
        path=Path(),
        name=str(raw.get("name") or ""),
        description=str(raw.get("description") or ""),
        skill=str(raw.get("skill") or raw.get("agent") or ""),
        trials=trials if isinstance(trials, int) else None,
        timeout=seconds * 1000 if isinstance(seconds, int) else None,
        executor=str(config.get("executor") or ""),
        model=str(config.get("model") or ""),
        judge_model=str(config.get("judge_model") or ""),
        reasoning_effort=str(config.get("reasoning_effort") or ""),
        judge_reasoning_effort=str(config.get("judge_reasoning_effort") or ""),
        skills=[str(it) for it in config.get("skill_directories") or () if it != "none"],
        servers=_mapping(config.get("mcp_servers")),
        raw=raw,
    )


def task_from(raw: Mapping[str, Any]) -> PortableTask:
    """Return the task in its data, without files and graders."""
    inputs = _mapping(raw.get("inputs"))
    tags = [str(it).partition("=") for it in raw.get("tags") or ()]
    folders = raw.get("skill_directories")
    return PortableTask(
        id=str(raw.get("id") or ""),
        name=str(raw.get("name") or ""),
        prompt=str(inputs.get("prompt") or ""),
        follow_ups=[str(it) for it in inputs.get("follow_up_prompts") or ()],
        tags=[
            (key, value) if equals and key and value else ("", f"{key}{equals}{value}")
            for key, equals, value in tags
        ],
        skills=[str(it) for it in folders] if folders else None,
        raw=raw,
    )


def _task(
    suite: PortableSuite, loaded: Suite, task: Task, process_dir: Path, comments: CommentMap
) -> PortableTask:
    path, folder = task.path or loaded.path, loaded.directory
    raw = _raw(task, loaded)
    fixtures = folder / "fixtures"
    if context_dir := raw.pop("context_dir", None):
        fixtures = process_dir / str(context_dir)
    inputs = raw.get("inputs")
    if isinstance(inputs, dict):
        fixture = (
            inputs.get("context", {}).pop("fixture", None)
            if isinstance(inputs.get("context"), dict)
            else None
        )
        for key in ("prompt_file", "files"):
            inputs.pop(key, None)
        inputs["prompt"] = task.prompt
    else:
        fixture = None
    expected = raw.get("expected")
    made = task_from(raw)
    made.id, made.prompt, made.path, made.pointer = task.id, task.prompt, path, task.pointer
    made.name = made.name or task.name
    made.graders = [it for it in task.graders if it.path == path]
    if isinstance(expected, dict):
        for key in EXPECTED_TEXTS:
            if value := expected.pop(key, None):
                made.checks.append(Check("expected", key, value, path, (*task.pointer, "expected", key)))
        expected.pop("graders", None)
    for file in task.files:
        places = [fixtures / file.target, *([folder / str(fixture) / file.target] if fixture else [])]
        source = next((it for it in places if it.is_file() and file_bytes(it) == file.content), None)
        made.files.append(PortableFile(file.target, file.content, source))
    made.kept = (
        _kept(suite, comments, path, task.pointer, f"task '{task.id}'")
        if path != loaded.path or task.pointer
        else {}
    )
    return made


def _raw(task: Task, loaded: Suite) -> dict[str, Any]:
    """The data of a task; that of a row of a data set is what the row says."""
    path = task.path or loaded.path
    data: Any = plain(read_mapping(path)) if path.suffix in {".yaml", ".yml"} else {}
    for part in task.pointer:
        data = data[part]
    if not isinstance(data, dict) or not data or "tasks" in data or "tasks_from" in data:
        return {"id": task.id, "name": task.name, "inputs": {"prompt": task.prompt}}
    return data


def _self_contained(raw: dict[str, Any], task: Task) -> dict[str, Any]:
    """The data of a disabled task with the texts of its files, which are not copied."""
    inputs = raw.get("inputs")
    raw.pop("context_dir", None)
    if isinstance(inputs, dict):
        inputs.pop("prompt_file", None)
        inputs["prompt"] = task.prompt
        if inputs.pop("files", None):
            inputs["files"] = [
                {"path": it.target, "content": it.content.decode("utf-8", "replace")} for it in task.files
            ]
    return raw


def _kept(
    suite: PortableSuite, comments: CommentMap, path: Path, pointer: Pointer, owner: str
) -> dict[str, Any]:
    found = kept_in(comments.take_above(path, pointer), "vally")
    source = comments.of_source(path)
    if pointer:
        source.add(pointer, *found.own)
    else:
        source.header = found.own
    if found.problem:
        suite.notes.append(
            (f"The kept comment of {owner} is not valid YAML and stays as it is: {found.problem}", pointer)
        )
    return found.parts


def _add_triggers(suite: PortableSuite, loaded: Suite) -> None:
    tests = loaded.triggers
    if tests is None or tests.path is None:
        return
    data = plain(read_mapping(tests.path))
    rows = [
        (it, key, index)
        for key in ("should_trigger_prompts", "should_not_trigger_prompts")
        for index, it in enumerate(data.get(key) or ())
    ]
    for number, (test, (row, key, index)) in enumerate(zip(tests.prompts, rows, strict=False), 1):
        trigger = Trigger(tests.skill or loaded.skill, test.should_trigger, test.confidence)
        more = {name: it for name, it in row.items() if name == "reason"} if isinstance(row, dict) else {}
        suite.tasks.append(
            PortableTask(
                id=f"trigger-{number}",
                prompt=test.prompt,
                trigger=trigger,
                raw=more,
                path=tests.path,
                pointer=(key, index),
            )
        )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
