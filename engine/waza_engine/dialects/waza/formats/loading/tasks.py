"""Load the `tasks` of an eval: globs, task files, inline tasks.

See docs/reference/waza-formats.md, sections 3, 5, 10.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.dialects.waza.formats.expected import Expected
from waza_engine.dialects.waza.formats.graders import TaskGrader
from waza_engine.dialects.waza.formats.inputs import Inputs
from waza_engine.dialects.waza.formats.inputs import Responder as ResponderEntry
from waza_engine.dialects.waza.formats.loading.entries import (
    entries,
    entry,
    moved_entry,
    written_indices,
)
from waza_engine.dialects.waza.formats.loading.lenient import build_leniently
from waza_engine.dialects.waza.formats.loading.mock_files import (
    command_mocks,
    mcp_mocks,
    refuse_bad_sequences,
)
from waza_engine.dialects.waza.formats.loading.refusals import EvalKeys, task_refusals
from waza_engine.dialects.waza.formats.loading.resources import gather
from waza_engine.dialects.waza.formats.task import InlineTask, TaskFile
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.go.glob import BadPattern, glob
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.items import Items
from waza_engine.lib.queries.store import query
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import (
    EXPECTED_TEXTS,
    Checkpoint,
    CommandMock,
    GraderEntry,
    LoadError,
    Repository,
    Responder,
    Task,
)
from waza_engine.project.reading import (
    build,
    current_files,
    is_needed,
    pointer_in_file,
    read_mapping,
    read_text,
)
from waza_engine.project.store_location import in_repository


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context for loading a task: `data` is the eval's, `fixtures` the default folder of `inputs.files`."""

    eval_path: Path
    process_dir: Path
    fixtures: Path
    of_eval: EvalKeys
    data: Mapping[str, Any]
    instruction_files: tuple[str, ...] = ()
    command_mocks: tuple[CommandMock, ...] = ()

    @property
    def eval_dir(self) -> Path:
        return self.eval_path.parent.absolute()

    @property
    def place(self) -> tuple[Path, Path, Path]:
        """The folders that decide which files a task gets, and the eval."""
        return self.eval_path, self.process_dir, self.fixtures


def load_tasks(
    items: Sequence[str | InlineTask], around: Surroundings
) -> tuple[list[Task], list[Task], list[str]]:
    """Return the enabled tasks in waza's order, the disabled ones, and warnings about patterns.

    Raises:
        LoadError: a pattern is malformed, no pattern matches anything, or a task, even a disabled one, cannot be
            loaded.

    """
    tasks: list[Task] = []
    disabled: list[Task] = []
    warnings: list[str] = []
    ignored: list[str] = []
    patterns = 0
    indices = [*written_indices(around.data["tasks"])] if items else []
    known = _known_tasks(dict(zip(indices, items, strict=True)), around)
    for index, item in zip(indices, items, strict=True):
        pointer = ("tasks", index)
        if isinstance(item, InlineTask) and not _globs(item):
            (tasks if item.enabled else disabled).append(
                known.get(index) or _task(item, around.eval_path, pointer, around.data, around)
            )
            continue
        for pattern in _globs(item):
            patterns += 1
            paths = _matching_files(pattern, around, pointer)
            if not paths:
                warnings.append(f"{around.eval_path}: 'tasks[{index}]': no file matches '{pattern}'")
            for path in paths:
                if not is_needed(path, len(tasks)):
                    continue
                read = _task_file(current_files(), path)
                ignored += read.notes
                (tasks if read.spec.enabled else disabled).append(_task_of_file(read, path, around))
    if patterns and len(warnings) == patterns and patterns == len(items):
        message = f"No file matches any pattern under 'tasks'; patterns are relative to {around.eval_dir}"
        raise LoadError(around.eval_path, message, ("tasks",))
    return tasks, disabled, [*warnings, *ignored, *_repeated_ids(tasks)]


def _known_tasks(specs: Mapping[int, str | InlineTask], around: Surroundings) -> Mapping[int, Task]:
    """Return tasks of an eval that is followed through edits, by index. Only those of changed items are built.

    Tasks into which other files go, and those with errors, are not among them.
    """
    items = around.data.get("tasks")
    if not isinstance(items, Items):
        return {}
    by_item = {id(items[index]): it for index, it in specs.items()}

    def build_alone(item: Any) -> Task | None:
        spec = by_item.get(id(item))
        if not isinstance(spec, InlineTask) or _globs(spec) or _needs_files(spec, around):
            return None
        try:
            return _task(spec, around.eval_path, (), item, around)
        except LoadError:
            # Built again by the caller, whose error has the item's place in the file.
            return None

    mocks = around.instruction_files, bool(around.command_mocks)
    name = build_alone.__qualname__, *around.place, around.of_eval, *mocks
    return items.placed(name, build_alone, _moved)


def _moved(task: Task, index: int) -> Task:
    """Return a task with the place that it has in the list of its eval."""
    above = "tasks", index

    def moved(graders: tuple[GraderEntry, ...]) -> tuple[GraderEntry, ...]:
        return tuple(moved_entry(it, above) for it in graders)

    checkpoints = tuple(replace(it, graders=moved(it.graders)) for it in task.checkpoints)
    return replace(task, pointer=above, graders=moved(task.graders), checkpoints=checkpoints)


def _globs(item: str | InlineTask) -> list[str]:
    if isinstance(item, str):
        return [item.removeprefix("include:").strip() if item.startswith("include:") else item]
    return [*item.task_files, *([item.include] if item.include else [])]


def _matching_files(pattern: str, around: Surroundings, pointer: Pointer) -> list[Path]:
    # Go joins the pattern to the directory, so absolute patterns are relative to it, too.
    relative = cleaned(pattern.lstrip("/")) if pattern.strip("/") else "."

    try:
        return _matches(current_files(), relative, around.eval_dir)
    except BadPattern as error:
        raise LoadError(
            around.eval_path, f"The pattern '{pattern}' is malformed: {error}", pointer
        ) from error


@query(keep=1_000)
def _matches(_: Files, relative: str, folder: Path) -> list[Path]:
    return in_repository([folder / it for it in glob(relative, folder)], folder)


class _TaskFile(NamedTuple):
    """A task file: its model, the data that the model was made from, and notes about ignored keys."""

    spec: TaskFile
    data: dict[str, Any]
    notes: list[str]


@query(keep=5_000)
def _task_file(_: Files, path: Path) -> _TaskFile:
    return _TaskFile(*build_leniently(TaskFile, "task", read_mapping(path, strict_graders=True), path))


def _task_of_file(read: _TaskFile, path: Path, around: Surroundings) -> Task:
    if _needs_files(read.spec, around):
        return _task(read.spec, path, (), read.data, around)
    return _task_alone(current_files(), path, *around.place, around.of_eval)


@query(keep=5_000)
def _task_alone(
    files: Files, path: Path, eval_path: Path, process_dir: Path, fixtures: Path, of_eval: EvalKeys
) -> Task:
    """Build a task into which no other file and nothing else of its eval goes."""
    read = _task_file(files, path)
    return _task(read.spec, path, (), read.data, Surroundings(eval_path, process_dir, fixtures, of_eval, {}))


def _needs_files(spec: TaskFile, around: Surroundings) -> bool:
    """Whether other files go into a task, or mocks of its eval."""
    inputs = spec.inputs
    return bool(
        inputs.prompt_file
        or "fixture" in inputs.context.model_fields_set
        or not all(it.content for it in inputs.files)
        or around.instruction_files
        or spec.instruction_files
        or around.command_mocks
        or spec.command_mocks
        or spec.mcp_mocks
    )


def _task(
    spec: TaskFile, path: Path, pointer: Pointer, data: Mapping[str, Any], around: Surroundings
) -> Task:
    """Build a task from the `data` of its file."""
    prompt = _prompt(spec.inputs, path, pointer)
    for refusal in task_refusals(spec, around.of_eval):
        raise LoadError(path, refusal.message, _below(pointer, refusal.pointer, data))
    refuse_bad_sequences(_part(pointer, data), path, pointer)
    mocks = around.command_mocks
    if spec.command_mocks is not None:
        mocks = command_mocks(spec.command_mocks, path, (*pointer, "command_mocks"), around.eval_dir)
    servers = None
    if spec.mcp_mocks is not None:
        servers = mcp_mocks(spec.mcp_mocks, path, (*pointer, "mcp_mocks"), around.eval_dir)
    fixtures = around.process_dir / spec.context_dir if spec.context_dir else around.fixtures
    names = (*around.instruction_files, *spec.instruction_files)
    inputs = spec.inputs.model_copy(update={"prompt": prompt})
    resources = gather(inputs, names, fixtures, around.eval_dir)
    return Task(
        id=spec.id,
        name=spec.name,
        prompt=prompt,
        description=spec.description,
        tags=tuple(spec.tags),
        follow_ups=tuple(spec.inputs.follow_up_prompts),
        context=_context(spec.inputs),
        files=tuple(resources.files),
        warnings=tuple(resources.warnings),
        graders=(
            *entries(spec.graders, path, (*pointer, "graders"), data),
            *_expected_graders(spec.expected, path, pointer),
        ),
        expected={key: tuple(texts) for key in EXPECTED_TEXTS if (texts := getattr(spec.expected, key))},
        timeout_seconds=spec.timeout_seconds,
        first_event_timeout_seconds=spec.first_event_timeout_seconds,
        repos=tuple(
            Repository(around.process_dir / repo.source, repo.dest, repo.commit) for repo in spec.inputs.repos
        ),
        workdir=spec.inputs.workdir,
        checkpoints=tuple(_checkpoints(spec, path, pointer, data)),
        golden=spec.golden,
        responder=_responder(spec.inputs.responder),
        instructions=tuple(cleaned(it) for it in names),
        mcp_mocks=servers,
        command_mocks=mocks,
        skill_directories=tuple(str(around.eval_dir / it) for it in spec.skill_directories) or None,
        blocked=resources.blocked,
        path=path,
        pointer=pointer,
    )


def _prompt(inputs: Inputs, path: Path, pointer: Pointer) -> str:
    place = (*pointer, "inputs", "prompt_file")
    if not inputs.prompt_file:
        return inputs.prompt
    if inputs.prompt:
        raise LoadError(path, "'inputs' has both 'prompt' and 'prompt_file'; keep one", place)
    name = inputs.prompt_file
    if name.startswith("/") or ".." in cleaned(name):
        message = f"'inputs.prompt_file' must be a relative path without '..', not '{name}'"
        raise LoadError(path, message, place)
    try:
        return read_text(path.parent / cleaned(name))
    except LoadError as error:
        raise LoadError(path, f"'inputs.prompt_file': '{name}': {error.message}", place) from error


def _context(inputs: Inputs) -> Mapping[str, Any]:
    return {key: plain(value) for key, value in inputs.context if key in inputs.context.model_fields_set}


def _below(base: Pointer, pointer: Pointer, data: Mapping[str, Any]) -> Pointer:
    """Return the pointer in the file for a model's `pointer` below `base`, which is a file's pointer."""
    return (*base, *pointer_in_file(pointer, _part(base, data)))


def _part(pointer: Pointer, data: Mapping[str, Any]) -> Any:
    inner: Any = data
    for part in pointer:
        inner = inner[part]
    return inner


def _expected_graders(expected: Expected, path: Path, pointer: Pointer) -> tuple[GraderEntry, ...]:
    """Return the graders under `expected`. Names are skipped: they refer to graders of the eval, which run anyway."""
    items = expected.graders if isinstance(expected.graders, list) else []
    graders: list[GraderEntry] = []
    for index, item in enumerate(items):
        if isinstance(item, dict):
            place = (*pointer, "expected", "graders", index)
            graders.append(entry(build(TaskGrader, item, path, place), path, place))
    return tuple(graders)


def _checkpoints(
    spec: TaskFile, path: Path, pointer: Pointer, data: Mapping[str, Any]
) -> Iterator[Checkpoint]:
    for index, it in enumerate(spec.checkpoints):
        place = _below(pointer, ("checkpoints", index, "graders"), data)
        graders = entries(it.graders, path, place, data)
        yield Checkpoint(it.after_turn, graders, stops=it.on_failure == "stop")


def _responder(entry: ResponderEntry | None) -> Responder | None:
    if entry is None:
        return None
    return Responder(entry.instructions, entry.max_followups, entry.model)


def _repeated_ids(tasks: Sequence[Task]) -> Iterator[str]:
    seen: dict[str, Task] = {}
    for task in tasks:
        if task.id in seen:
            yield f"Two tasks have the id '{task.id}': {seen[task.id].path} and {task.path}"
        seen.setdefault(task.id, task)
