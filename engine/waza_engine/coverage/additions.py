"""What to add to an eval so that it exercises a clause: a trigger prompt if it has trigger tests, else a task.

The text comes from the dialect's files to begin with. An addition is offered only if the edited files load and their prompts
exercise the clause.
"""

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.coverage.matching import Prompt, State, clause_states
from waza_engine.coverage.suites import SkillCoverage, TestingEval, task_text
from waza_engine.lib.files.vfs import Files
from waza_engine.model.findings import AppendItem
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import reading_open_texts
from waza_engine.project.skill_prompts import Clause
from waza_engine.project.suite_files import globs_of
from waza_engine.recognition.dialect import Kind
from waza_engine.recognition.recognise import dialect, recognise
from waza_engine.recognition.starters import (
    TASK,
    filled_file,
    filled_item,
    is_listed,
    starter,
    task_names,
    task_place,
)

_PROMPT = "prompt"
_OUT_OF_SCOPE = "out-of-scope"


@dataclass(frozen=True, slots=True)
class Addition:
    """A change of the file at `path`, and a new file with its text. Each may be missing."""

    title: str
    path: Path
    change: AppendItem | None = None
    new_path: Path | None = None
    new_text: str = ""
    task: str = ""
    """The id of the new task; empty for a trigger prompt."""


def addition_for(clause: Clause, coverage: SkillCoverage, files: Files) -> Addition | None:
    """Return what to add for a clause; None if no eval of the skill can take it."""
    with_triggers = [it for it in coverage.evals if it.has_triggers]
    for it in with_triggers:
        if (found := _trigger_prompt(clause, it, files)) is not None:
            return found
    by_size = sorted(coverage.evals, key=lambda it: -len(it.tasks))
    return next((found for it in by_size if (found := _task(clause, it, files)) is not None), None)


def _trigger_prompt(clause: Clause, of: TestingEval, files: Files) -> Addition | None:
    path = of.suite.triggers.path if of.suite.triggers is not None else None
    kind = _kind(path, files) if path is not None else None
    if path is None or kind is None or not kind.trigger_lists:
        return None
    wanted, unwanted = kind.trigger_lists
    change = AppendItem((wanted if clause.is_wanted else unwanted,), {_PROMPT: clause.text})
    return Addition(f"Add a trigger prompt for this clause to {path.name}", path, change)


def _task(clause: Clause, of: TestingEval, files: Files) -> Addition | None:
    kind, template = _kind(of.path, files), starter(of.suite.dialect, TASK)
    if kind is None or not kind.tasks or template is None:
        return None
    known = {it.id for it in (*of.suite.tasks, *of.suite.disabled)}
    id_, title = _names(clause, known)
    values = {1: id_, 2: title, 3: clause.text}
    where = f"{of.path.parent.name}/{of.path.name}"
    if template.is_item:
        change = AppendItem((kind.tasks[0],), filled_item(template.text, of.suite.name, values))
        return Addition(f"Add a task for this clause to {where}", of.path, change, task=id_)
    globs = [it for _, it in globs_of(files.mapping(of.path))]
    place = task_place(globs, id_)
    path = of.path.parent / place
    if files.exists(path):
        return None
    text = filled_file(template.text, of.suite.name, values)
    entry = None if is_listed(globs, place) else AppendItem((kind.tasks[0],), place)
    return Addition(f"Add the task {place} for this clause to {where}", of.path, entry, path, text, id_)


def _names(clause: Clause, known: Iterable[str]) -> tuple[str, str]:
    """Return a free id and a title for the task of a clause. Both say if the skill is not for it."""
    taken = set(known)
    [slug] = task_names([clause.text])
    id_, title = (
        (slug, clause.text)
        if clause.is_wanted
        else (f"{_OUT_OF_SCOPE}-{slug}", f"Out of scope: {clause.text}")
    )
    free = next(it for it in (id_, *(f"{id_}-{n}" for n in range(2, len(taken) + 3))) if it not in taken)
    return free, title


def _kind(path: Path, files: Files) -> Kind | None:
    found = recognise(files.mapping(path), path)
    return dialect(found[0].name).kind(found[1].name) if found is not None else None


def exercises(addition: Addition, clause: Clause, coverage: SkillCoverage, texts: Mapping[Path, str]) -> bool:
    """Whether the edited files load, and exercise the clause. `texts` are those of open files, and of the file to change."""
    of = next(
        it
        for it in coverage.evals
        if addition.path in {it.path, it.suite.triggers.path if it.suite.triggers is not None else None}
    )
    try:
        prompts = _new_prompts(addition, of, texts)
    except LoadError:
        return False
    states = clause_states(coverage.skill.description, prompts)
    return any(it.clause == clause and it.state is State.EXERCISED for it in states)


def _new_prompts(addition: Addition, of: TestingEval, texts: Mapping[Path, str]) -> list[Prompt]:
    """Return the prompts of the edited eval that it did not have before."""
    if addition.new_path is None:
        with reading_open_texts(texts):
            suite: Any = load_suite(of.path, process_dir=of.path.parent, dialect_name=of.suite.dialect)
    else:
        suite = _loaded_alone(addition, of, texts)
    if addition.task:
        return [Prompt(task_text(it)) for it in suite.tasks if it.id == addition.task]
    before = {it.prompt for it in of.prompts_of_triggers}
    found = suite.triggers.prompts if suite.triggers is not None else ()
    return [Prompt(it.prompt, it.should_trigger) for it in found if it.prompt not in before]


def _loaded_alone(addition: Addition, of: TestingEval, texts: Mapping[Path, str]) -> Any:
    """Load a copy of the eval that has the new task only: globs match files on disk, and the task is not there yet."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        eval_path, task = root / of.path.name, addition.new_path
        if task is None:
            raise LoadError(of.path, "There is no new task")
        copy = root / task.relative_to(of.path.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(addition.new_text, encoding="utf-8")
        eval_path.write_text(texts[of.path], encoding="utf-8")
        return load_suite(eval_path, process_dir=root, dialect_name=of.suite.dialect)
