"""Read a vally spec into the suite between the dialects (docs/reference/vally.md, sections 2 to 5)."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.suite import Check, PortableFile, PortableSuite, PortableTask, Trigger
from waza_engine.convert.text.comments import CommentMap
from waza_engine.convert.text.kept import kept_in
from waza_engine.dialects.vally.fields import milliseconds
from waza_engine.dialects.vally.formats.environment import StagedFile
from waza_engine.dialects.vally.formats.load import spec_data
from waza_engine.dialects.vally.formats.project_file import Project, find_project
from waza_engine.dialects.vally.formats.surroundings import staged_files
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import Suite, Task
from waza_engine.project.load_suite import load_suite
from waza_engine.project.skills import skill_at

SKILL, TRIGGER, TAGS = "skill", "trigger-test", "tags"
"""The tags that hold what only waza has: the skill under test, trigger tests, and tags without a key."""


def read_vally(path: Path, process_dir: Path, comments: CommentMap) -> PortableSuite:
    """Return the suite of the spec at `path`.

    Raises:
        LoadError: the spec cannot be loaded.

    """
    loaded = load_suite(path, process_dir=process_dir)
    folder = path.parent.absolute()
    raw = plain(spec_data(path))
    notes = _inline_environments(raw, find_project(folder))
    if "defaults" not in raw and "config" in raw:
        raw = {"defaults" if key == "config" else key: it for key, it in raw.items()}
    # Empty items are no stimuli; the loader skips them, too.
    raw["stimuli"] = [it for it in raw.get("stimuli") or () if it is not None]
    suite = suite_from(raw)
    suite.path, suite.notes = path, notes
    suite.name = loaded.name
    suite.skill = suite.skill or _skill_of(raw, loaded, folder)
    suite.graders = [it for it in _entries(loaded) if it.pointer[:1] == ("graders",)]
    found = kept_in(comments.take_above(path, ()), "waza")
    _give_back(comments, path, (), found.own)
    suite.kept = found.parts
    if found.problem:
        suite.notes.append(
            (f"The kept comment at the top is not valid YAML and stays as it is: {found.problem}", ())
        )
    for index, task in enumerate(loaded.tasks):
        suite.tasks.append(_task(suite, task, ("stimuli", index), folder, comments))
    return suite


def suite_from(raw: Mapping[str, Any]) -> PortableSuite:
    """Return the settings in the data of a spec, without stimuli."""
    settings = _mapping(raw.get("defaults"))
    environment = _mapping(raw.get("environment"))
    executor = settings.get("executor")
    timeout, runs = settings.get("timeout"), settings.get("runs")
    return PortableSuite(
        path=Path(),
        name=str(raw.get("name") or ""),
        description=str(raw.get("description") or ""),
        skill=str(_mapping(raw.get("tags")).get(SKILL) or ""),
        trials=runs if isinstance(runs, int) else None,
        timeout=milliseconds(str(timeout)) if timeout else None,
        executor=str((executor.get("name") if isinstance(executor, Mapping) else executor) or ""),
        model=str(settings.get("model") or ""),
        judge_model=str(settings.get("judge_model") or ""),
        reasoning_effort=str(settings.get("reasoning_effort") or ""),
        judge_reasoning_effort=str(settings.get("judge_reasoning_effort") or ""),
        skills=[_skill_folder(it) for it in environment.get("skills") or ()],
        servers=_mapping(environment.get("mcpServers")),
        raw=raw,
    )


def task_from(raw: Mapping[str, Any], shared_skills: list[str]) -> PortableTask:
    """Return the stimulus in its data, without files and graders."""
    turns = [
        str(it.get("prompt") or "") if isinstance(it, Mapping) else str(it) for it in raw.get("turns") or ()
    ]
    first, *rest = turns or [str(raw.get("prompt") or "")]
    tags: list[tuple[str, str]] = []
    for key, value in _mapping(raw.get("tags")).items():
        values = value if isinstance(value, list) else [value]
        tags += [("" if key == TAGS else str(key), str(it)) for it in values]
    own = _mapping(raw.get("environment")).get("skills")
    return PortableTask(
        id=str(raw.get("name") or ""),
        name=str(raw.get("name") or ""),
        prompt=first,
        follow_ups=rest,
        tags=tags,
        skills=[*shared_skills, *(_skill_folder(it) for it in own)] if own else None,
        raw=raw,
    )


def _task(
    suite: PortableSuite, loaded: Task, place: Pointer, folder: Path, comments: CommentMap
) -> PortableTask:
    raw = suite.raw["stimuli"][place[1]]
    task = task_from(raw, suite.skills)
    task.prompt, task.follow_ups = loaded.prompt, list(loaded.follow_ups)
    task.path, task.pointer = suite.path, place
    task.graders = [it for it in loaded.graders if it.pointer[:1] != ("graders",)]
    task.checks = [
        Check("constraints", it.key, plain(raw["constraints"])[it.key], suite.path, it.pointer, it)
        for it in loaded.constraints
    ]
    for owner, at in ((suite.raw, ()), (raw, place)):
        _stage(task, _mapping(owner.get("environment")).get("files"), (*at, "environment", "files"), folder)
    tags = _mapping(raw.get("tags"))
    if TRIGGER in tags and [it.type for it in task.graders] == ["skill-invocation"] and not task.follow_ups:
        config = plain(task.graders[0].config)
        required = isinstance(config, dict) and config.get("required")
        skills = required or (config.get("disallowed") if isinstance(config, dict) else None) or [suite.skill]
        task.trigger = Trigger(str(skills[0]), bool(required), str(tags[TRIGGER]))
    found = kept_in(comments.take_above(suite.path, place), "waza")
    _give_back(comments, suite.path, place, found.own)
    task.kept = found.parts
    if found.problem:
        suite.notes.append(
            (f"The kept comment of '{task.id}' is not valid YAML and stays as it is: {found.problem}", place)
        )
    return task


def _stage(task: PortableTask, files: Any, place: Pointer, folder: Path) -> None:
    """Add the files of one list; a missing one costs only itself."""
    for index, it in enumerate(files if isinstance(files, list) else ()):
        entry = StagedFile.model_construct(src=str(it.get("src")), dest=str(it.get("dest")))
        staged, problem = staged_files([entry], folder)
        if problem:
            task.missing_files.append((problem, (*place, index)))
        start = folder / entry.src
        for file in staged:
            below = (
                PurePosixPath(file.target).relative_to(PurePosixPath(entry.dest)) if start.is_dir() else None
            )
            task.files.append(PortableFile(file.target, file.content, start / below if below else start))


def _inline_environments(raw: dict[str, Any], project: Project) -> list[tuple[str, Pointer]]:
    """Write named environments out: their paths are relative to the spec, and the result is in another folder."""
    notes: list[tuple[str, Pointer]] = []
    stimuli = raw.get("stimuli")
    owners = [
        (raw, ()),
        *((it, ("stimuli", index)) for index, it in enumerate(stimuli or ()) if isinstance(it, dict)),
    ]
    for owner, place in owners:
        for key in ("environment", "agent_environment", "grading_environment"):
            name = owner.get(key)
            if isinstance(name, str) and (named := project.environments.get(name)) is not None:
                owner[key] = plain(named.model_dump(mode="json", by_alias=True, exclude_unset=True))
                notes.append((f"The environment '{name}' is written out", (*place, key)))
    return notes


def _skill_of(raw: Mapping[str, Any], loaded: Suite, folder: Path) -> str:
    """The skill under test: the only or first one that the agent has, or that the graders require."""
    owners = [raw, *(it for it in raw.get("stimuli") or () if isinstance(it, Mapping))]
    for owner in owners:
        for it in _mapping(owner.get("environment")).get("skills") or ():
            file = folder / _skill_folder(it) / SKILL_FILE
            return skill_at(file, Files()).name if file.is_file() else PurePosixPath(_skill_folder(it)).name
    for task in loaded.tasks:
        for entry in task.graders:
            config = plain(entry.config)
            if entry.type == "skill-invocation" and isinstance(config, dict) and config.get("required"):
                return str(config["required"][0])
        for constraint in task.constraints:
            if constraint.key == "expect_skills" and constraint.value:
                return str(constraint.value[0])
    return ""


def _entries(loaded: Suite) -> Any:
    return loaded.tasks[0].graders if loaded.tasks else ()


def _skill_folder(skill: Any) -> str:
    return str(skill).removesuffix(f"/{SKILL_FILE}")


def _give_back(comments: CommentMap, path: Path, pointer: Pointer, lines: tuple[str, ...]) -> None:
    found = comments.of_source(path)
    if pointer:
        found.add(pointer, *lines)
    else:
        found.header = lines


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
