"""Create whole files: evals, skills, experiments."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_text
from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.yaml.reader import front_matter
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.project.skill_prompts import prompts, purpose
from waza_engine.project.skills import skill_at
from waza_engine.recognition.recognise import dialect as dialect_called
from waza_engine.recognition.recognise import dialects
from waza_engine.recognition.starters import (
    EXPERIMENT,
    NAME_PATTERN,
    SkillSketch,
    eval_of_skill,
    filled_file,
    new_eval,
    new_skill,
    starter,
)
from waza_lsp.cli.console import give_up, print_err, show
from waza_lsp.cli.new.project import project_dialect, project_folder


def create_eval(
    name: str | None, dialect: str | None, out: Path | None, skill_file: Path | None, *, force: bool
) -> None:
    """Create an eval, of a skill if there is one."""
    out = out or project_folder("evals")
    kind = dialect or project_dialect()
    if skill_file is None:
        if name is None:
            raise click.UsageError("Give the NAME of the eval, or a skill with --from-skill.")
        files = new_eval(kind, checked_name(name))
        found = None
    else:
        path = skill_file / SKILL_FILE if skill_file.is_dir() else skill_file
        found = _sketch(path, name, out)
        if name is None and not re.fullmatch(NAME_PATTERN, found.name):
            raise click.UsageError(
                f"The skill's name '{found.name}' cannot be a folder here. Give the eval a NAME before --from-skill."
            )
        name = checked_name(name or found.name)
        try:
            files = eval_of_skill(kind, name, found)
        except KeyError:
            raise click.UsageError(f"Evals of {kind} cannot be written from a skill.") from None
    paths = {out / name / path: text for path, text in files.items()}
    write_files(paths, force=force)
    if found is None:
        # Imported late: reading files takes the whole syntax.
        from waza_lsp.cli.new.edit import without_unknown_skill

        without_unknown_skill(next(iter(paths)))
    if found is not None and not found.prompts:
        print_err(
            f"note: the description in {skill_file} has no list 'USE FOR:', so the task has no prompt of the skill yet"
        )
    show_next(f"run {typed(next(iter(paths)))}")


def _sketch(path: Path, name: str | None, out: Path) -> SkillSketch:
    """Read what an eval in a folder below `out` needs of a skill."""
    try:
        front = front_matter(regular_text(path, "utf-8-sig", MAX_SOURCE_BYTES))
    except (OSError, UnicodeDecodeError) as error:
        give_up(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}")
    if not front:
        give_up(f"{path} is not a skill: it does not begin with '---', 'name:' and 'description:'")
    skill = skill_at(path.absolute(), Files())
    wanted, others = prompts(skill.description)
    folder = os.path.relpath(path.absolute().parent, (out / (name or skill.name)).absolute())
    return SkillSketch(skill.name, Path(folder).as_posix(), purpose(skill.description), wanted, others)


def create_skill(name: str, out: Path | None, *, force: bool) -> None:
    """Create a SKILL.md."""
    path = (out or project_folder("skills")) / checked_name(name) / SKILL_FILE
    write_files({path: new_skill(name)}, force=force)
    show_next(f"new eval --from-skill {typed(path)}")


def create_experiment(
    name: str, evals: Sequence[Path], dialect: str | None, out: Path | None, *, force: bool
) -> None:
    """Create an experiment with the given evals, or with all below `out`."""
    out = out or project_folder("evals")
    able = [it.name for it in dialects() if starter(it.name, EXPERIMENT) is not None]
    kind = dialect or next(iter(able))
    template = starter(kind, EXPERIMENT)
    if template is None:
        raise click.UsageError(f"{kind} has no experiments. Use --dialect {' or '.join(able)}.")
    listed = list(evals) or [path for path, its in evals_below(out) if its == kind]
    if not listed:
        give_up(f"No eval of {kind} in {out}. Create one with: waza-lsp new eval NAME --dialect {kind}")
    path = out / f"{checked_name(name)}.experiment.yaml"
    places = [Path(os.path.relpath(it.absolute(), path.absolute().parent)).as_posix() for it in listed]
    write_files({path: filled_file(template.text, name, {1: name, 3: places})}, force=force)
    show_next(f"run {typed(path)} --executor mock")


def evals_below(folder: Path) -> list[tuple[Path, str]]:
    """Return the evals in a folder, each with its dialect."""
    # Imported late, as above.
    from waza_lsp.cli.check.sources import find_sources

    found = []
    for source in find_sources((str(folder),), "", None) if folder.is_dir() else ():
        form = source.snapshot.form
        kind = dialect_called(form.dialect).kind(form.kind) if form is not None else None
        if form is not None and kind is not None and kind.runnable == "eval":
            found.append((Path(source.name), form.dialect))
    return found


def checked_name(name: str) -> str:
    """Return the name, or refuse it."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise click.UsageError(
            f"'{name}' is not a name: use letters, digits, dots, dashes and underscores, and begin with a letter."
        )
    return name


def write_files(files: Mapping[Path, str], *, force: bool) -> None:
    """Write new files and print their paths."""
    refuse_existing(files, force=force)
    for path, text in files.items():
        try:
            write_text_atomic(path, [text])
        except OSError as error:
            give_up(f"{path} cannot be written: {error.strerror}")
        show(str(path))


def refuse_existing(files: Iterable[Path], *, force: bool) -> None:
    """Give up if a file exists that may not be overwritten."""
    existing = [it for it in files if os.path.lexists(it)]
    if existing and not force:
        give_up(
            f"{existing[0]} already exists; nothing was written. Use another name, or --force to overwrite it"
        )


def show_next(command: str) -> None:
    show(f"Next: waza-lsp {command}")


def typed(path: Path) -> str:
    """Return the path as a shell takes it."""
    text = str(path)
    return text if re.fullmatch(r"[\w./\\:~+-]+", text) else f'"{text}"'
