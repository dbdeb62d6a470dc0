"""Names of a kind of thing in the world around a document: given or used in other files, SKILL.md, recorded runs.

For completion, which may not take long: files are read until the time is up, and remembered for the next time.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from waza_engine.checking.skills import SKILL, skills
from waza_engine.checking.suite_files import SuiteFiles
from waza_lsp.schema.form import recognised
from waza_lsp.schema.names import has_home, names_in
from waza_lsp.schema.prefilter import may_be_eval
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.around import Around
from waza_lsp.syntax.text import split_lines
from waza_lsp.syntax.tree import Tree

_BUDGET_SECONDS = 0.08
_LONGEST = 100


class _Named(NamedTuple):
    thing: str
    text: str
    defines: bool


def known_names(
    thing: str, snapshot: Snapshot, around: Around, *, seconds: float = _BUDGET_SECONDS
) -> Iterator[tuple[str, str]]:
    """The names, nearest first, each with a few words about where it is known from; files are read for so many `seconds`.

    What a document can give a name to is known where the name is: in the eval, for all its files. Other things
    (models, tools) have no home, and are worth suggesting wherever they were seen.
    """
    if snapshot.form is None:
        return
    at_home = has_home(snapshot.form, thing)
    if at_home and thing != SKILL and snapshot.form.runnable == "eval":
        return  # All such names are in the document itself.
    suite = around.suite(snapshot)
    project = around.snapshot(suite.project_path) if suite is not None and suite.project_path else None
    if project is not None and project.form is not None and has_home(project.form, thing) and thing != SKILL:
        yield from _in_project(thing, project)
        return
    if suite is not None:
        yield from _given(thing, suite, snapshot, around, at_home=at_home)
        if not at_home:
            yield from _seen_in_suite(thing, suite, snapshot, around)
    if at_home:
        return
    until = time.monotonic() + seconds
    for path in around.listed():
        if time.monotonic() > until:
            return
        yield from _in_file(thing, path, around)


def _given(
    thing: str, suite: SuiteFiles, snapshot: Snapshot, around: Around, *, at_home: bool
) -> Iterator[tuple[str, str]]:
    """The names of skills that have a file, and those in the eval."""
    if thing == SKILL:
        for it in skills(suite, around.files):
            yield it.name, _first_line(it.description) or f"{thing} in {it.path.parent.name}"
    if suite.eval_path != snapshot.path:
        yield from _in_file(thing, suite.eval_path, around, only_given=at_home and thing != SKILL)


def _seen_in_suite(
    thing: str, suite: SuiteFiles, snapshot: Snapshot, around: Around
) -> Iterator[tuple[str, str]]:
    for path in suite.paths:
        if path not in {suite.eval_path, snapshot.path}:
            yield from _in_file(thing, path, around)
    project = around.snapshot(suite.project_path) if suite.project_path is not None else None
    if project is not None:
        yield from _in_project(thing, project)
    for recalled in around.recalled(suite.eval_path):
        for name in recalled.named(thing):
            yield name, f"{thing} in the last run of {recalled.task}"


def _in_file(
    thing: str, path: Path, around: Around, *, only_given: bool = False
) -> Iterator[tuple[str, str]]:
    for it in around.files.made(path, _names_of_text) or ():
        if it.thing == thing and (it.defines or not only_given):
            yield it.text, f"{thing} in {path.name}"


def _in_project(thing: str, project: Snapshot) -> Iterator[tuple[str, str]]:
    """The same for a file that is known by its name only."""
    name = project.path.name if project.path is not None else ""
    for it in names_in(project.form, project.tree) if project.form is not None else ():
        if it.thing == thing:
            yield it.text, f"{thing} in {name}"


def _names_of_text(source: str) -> tuple[_Named, ...]:
    if not may_be_eval(source, None):
        return ()
    tree = Tree.of(split_lines(source))
    found = recognised(tree.sketch(), None)
    names = names_in(found.form, tree) if found is not None else ()
    return tuple(dict.fromkeys(_Named(it.thing, it.text, it.defines) for it in names))


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
