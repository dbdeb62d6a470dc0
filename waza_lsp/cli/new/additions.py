"""Add to existing evals: tasks and graders."""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from waza_engine.lib.spelling import nearest
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import AppendItem, InsertKey
from waza_engine.recognition.dialect import Dialect, Kind
from waza_engine.recognition.recognise import dialect as dialect_called
from waza_engine.recognition.recognise import dialects_by_preference
from waza_engine.recognition.starters import TASK, filled_file, filled_item, is_listed, starter, task_place
from waza_lsp.cli.check.sources import Source, find_sources
from waza_lsp.cli.console import give_up, show
from waza_lsp.cli.new.edit import edited
from waza_lsp.cli.new.files import (
    checked_name,
    evals_below,
    refuse_existing,
    show_next,
    typed,
    write_files,
)
from waza_lsp.cli.new.project import project_dialect
from waza_lsp.cli.pages.manual import entries, page

_GRADERS = "graders"
_EXAMPLE = re.compile(r"^## Example\n```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TYPE = re.compile(r"[\w-]+")


def add_task(name: str, eval_file: Path | None, prompt: str, *, force: bool) -> None:
    """Add a task to an eval, as a file or as an item of its list."""
    checked_name(name)
    source, dialect, kind = _opened(eval_file or _only_eval())
    template = starter(dialect.name, TASK)
    if template is None or kind.runnable != "eval":
        give_up(f"{source.name} is not an eval that a task can be added to")
    title = name.replace("-", " ").replace("_", " ")
    values = {1: name, 2: title[0].upper() + title[1:]} | (
        {3: " ".join(prompt.split())} if prompt.strip() else {}
    )
    if template.is_item:
        if name in _names(source, kind.tasks[0]):
            give_up(f"{source.name} already has a task named '{name}'; nothing was written")
        _append(source, kind.tasks[0], filled_item(template.text, name, values))
    else:
        text = filled_file(template.text, name, values)
        _write_task(source, kind.tasks[0], name, text, force=force)
    show_next(f"run {typed(Path(source.name))} --task {name}")


def _write_task(source: Source, tasks: str, name: str, text: str, *, force: bool) -> None:
    """Write a task into the folder of the first glob, and list it in the eval unless a glob includes it."""
    globs = [it for it in _items(source, tasks) if isinstance(it, str)]
    place = task_place(globs, name)
    path = Path(source.name).parent / place
    refuse_existing([path], force=force)
    if not is_listed(globs, place):
        _append(source, tasks, place)
    write_files({path: text}, force=force)


def _only_eval() -> Path:
    found = [path for path, _ in evals_below(Path())]
    if not found:
        give_up("No eval found. Create one with: waza-lsp new eval NAME")
    if len(found) > 1:
        listed = ", ".join(map(str, found[:5]))
        give_up(f"{len(found)} evals found: {listed}. Choose one with --eval")
    return found[0]


def add_grader(type_name: str, file: Path | None, dialect: str | None) -> None:
    """Print the example of a grader type as a list item, or add it to a file."""
    if file is None:
        homes = [dialect] if dialect else [project_dialect(), *(it.name for it in dialects_by_preference())]
        show("- " + textwrap.indent(_example(type_name, homes), "  ").strip())
        return
    source, home, kind = _opened(file)
    if (_GRADERS,) not in kind.graders:
        give_up(f"{file} cannot hold graders at the top level")
    entry = plain(read_yaml(_example(type_name, [home.name])))
    used = {it.get("name", it.get("type")) for it in _items(source, _GRADERS) if isinstance(it, Mapping)}
    first = entry.get("name", type_name)
    if first in used:
        number = next(it for it in range(2, len(used) + 3) if f"{first}-{it}" not in used)
        entry = {"type": type_name, "name": f"{first}-{number}"} | {
            k: v for k, v in entry.items() if k != "name"
        }
    _append(source, _GRADERS, entry)
    show_next(f"check {typed(file)}")


def _example(type_name: str, homes: list[str]) -> str:
    """Return the example on the page of a grader type, in the first of these dialects that has the type."""
    for home in homes if _TYPE.fullmatch(type_name) else ():
        text = page(f"graders/{dialect_called(home).schema_folder}{type_name}")
        if text is not None and (found := _EXAMPLE.search(text)):
            return found[1]
    known = {it.name for home in homes for it in entries(f"graders/{dialect_called(home).schema_folder}")}
    close = " or ".join(f"'{it}'" for it in nearest(type_name, sorted(known)))
    guess = f" Did you mean {close}?" if close else ""
    raise click.UsageError(
        f"No grader type is named '{type_name}'.{guess} List all types with: waza-lsp grader"
    )


def _opened(path: Path) -> tuple[Source, Dialect, Kind]:
    """Return an eval file with its dialect and kind."""
    source = next(iter(find_sources((str(path),), "", None)), None)
    form = source.snapshot.form if source is not None and not source.unreadable else None
    kind = dialect_called(form.dialect).kind(form.kind) if form is not None else None
    if source is None or form is None or kind is None:
        give_up(f"{path} is not an eval file that can be read")
    return source, dialect_called(form.dialect), kind


def _items(source: Source, key: str) -> list[Any]:
    try:
        data = plain(read_yaml(str(source.snapshot.text)))
    except YamlError:
        _give_up_editing(source)
    items = data.get(key) if isinstance(data, Mapping) else None
    return items if isinstance(items, list) else []


def _names(source: Source, key: str) -> set[Any]:
    return {it.get("name") for it in _items(source, key) if isinstance(it, Mapping)}


def _append(source: Source, key: str, value: Any) -> None:
    """Append an item to a top-level list of a file; comments and layout are kept."""
    is_there = bool(_items(source, key))
    change = AppendItem((key,), value) if is_there else InsertKey((), key, [value])
    if not edited(source, change):
        _give_up_editing(source)
    show(source.name)


def _give_up_editing(source: Source) -> NoReturn:
    give_up(
        f"{source.name} has mistakes, so nothing can be added. See: waza-lsp check {typed(Path(source.name))}"
    )
