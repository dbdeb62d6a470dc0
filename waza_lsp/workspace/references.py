"""Names across files: where one is defined and used, and which names completion can suggest.

A name that the eval defines is valid in all files of its suite. A name that another file defines is valid only in that
file. Skills get their names in SKILL.md, for the whole workspace.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.pointer import Pointer
from waza_engine.project.skills import SKILL, Skill, front_lines, skills
from waza_engine.project.suite_files import SuiteFiles
from waza_lsp.schema.document_kind import may_be_eval, recognise_form
from waza_lsp.schema.references import Name, has_definitions, name_at, names_in
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span, Text, split_lines
from waza_lsp.syntax.tree.tree import Tree
from waza_lsp.workspace.workspace import WorkspaceFiles

_BUDGET_SECONDS = 0.08
_MAX_DESCRIPTION = 100


class _FileName(NamedTuple):
    thing: str
    text: str
    defines: bool


def known_names(
    thing: str, snapshot: Snapshot, workspace: WorkspaceFiles, *, seconds: float = _BUDGET_SECONDS
) -> Iterator[tuple[str, str]]:
    """Return the names of one kind from other files, nearest first, each with a few words about its origin.

    Things that a document can define are known from their definition: the eval, for all its files. Other things
    (models, tools) have no definition, so every file that uses them counts. Completion has to be fast: new files are
    read only for `seconds`, and their names are cached.
    """
    if snapshot.form is None:
        return
    at_home = has_definitions(snapshot.form, thing)
    if at_home and thing != SKILL and snapshot.form.runnable == "eval":
        return  # The document itself defines all such names.
    suite = workspace.suite(snapshot)
    project = workspace.snapshot(suite.project_path) if suite is not None and suite.project_path else None
    if (
        project is not None
        and project.form is not None
        and has_definitions(project.form, thing)
        and thing != SKILL
    ):
        yield from _names_in_project(thing, project)
        return
    if suite is not None:
        yield from _suite_names(thing, suite, snapshot, workspace, at_home=at_home)
        if not at_home:
            yield from _names_seen_in_suite(thing, suite, snapshot, workspace)
    if at_home:
        return
    until = time.monotonic() + seconds
    for path in workspace.list_files():
        if time.monotonic() > until:
            return
        yield from _names_in_file(thing, path, workspace)


def _suite_names(
    thing: str, suite: SuiteFiles, snapshot: Snapshot, workspace: WorkspaceFiles, *, at_home: bool
) -> Iterator[tuple[str, str]]:
    """Return the skills that have a file, and the names in the eval."""
    if thing == SKILL:
        for it in skills(suite, workspace.files):
            yield it.name, _first_line(it.description) or f"{thing} in {it.path.parent.name}"
    if suite.eval_path != snapshot.path:
        yield from _names_in_file(thing, suite.eval_path, workspace, only_given=at_home and thing != SKILL)


def _names_seen_in_suite(
    thing: str, suite: SuiteFiles, snapshot: Snapshot, workspace: WorkspaceFiles
) -> Iterator[tuple[str, str]]:
    for path in suite.paths:
        if path not in {suite.eval_path, snapshot.path}:
            yield from _names_in_file(thing, path, workspace)
    project = workspace.snapshot(suite.project_path) if suite.project_path is not None else None
    if project is not None:
        yield from _names_in_project(thing, project)
    for recalled in workspace.recordings(suite.eval_path):
        for name in recalled.names(thing):
            yield name, f"{thing} in the last run of {recalled.task}"


def _names_in_file(
    thing: str, path: Path, workspace: WorkspaceFiles, *, only_given: bool = False
) -> Iterator[tuple[str, str]]:
    for it in workspace.files.read_as(path, _names_in_text) or ():
        if it.thing == thing and (it.defines or not only_given):
            yield it.text, f"{thing} in {path.name}"


def _names_in_project(thing: str, project: Snapshot) -> Iterator[tuple[str, str]]:
    """Return the names in the project file, which is recognised by its file name only."""
    name = project.path.name if project.path is not None else ""
    for it in names_in(project.form, project.tree) if project.form is not None else ():
        if it.thing == thing:
            yield it.text, f"{thing} in {name}"


def _names_in_text(source: str) -> tuple[_FileName, ...]:
    if not may_be_eval(source, None):
        return ()
    tree = Tree.of(split_lines(source))
    found = recognise_form(tree.sketch(), None)
    names = names_in(found.form, tree) if found is not None else ()
    return tuple(dict.fromkeys(_FileName(it.thing, it.text, it.defines) for it in names))


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _MAX_DESCRIPTION else line[: _MAX_DESCRIPTION - 1] + "…"


_TOP = Span(Place(0, 0), Place(0, 0))


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of a name: `span` is the whole value, `inner` the name without quotes, `style` its quoting."""

    uri: str
    text: Text
    span: Span
    inner: Span
    style: str
    defines: bool
    pointer: Pointer = ()
    tree: Tree | None = None
    """The tree of a YAML file."""

    @property
    def has_name(self) -> bool:
        """Whether the text contains the name. A skill can get its name from its folder instead."""
        return self.span.end > self.span.start

    @property
    def location(self) -> types.Location:
        """The LSP location of the name."""
        return types.Location(self.uri, self.text.range(self.span))


@dataclass(frozen=True, slots=True)
class Mentions:
    """All occurrences of `name`, and the other names (`taken`) of the same kind in its scope."""

    name: Name
    places: tuple[Mention, ...]
    taken: frozenset[str]

    @property
    def definitions(self) -> list[Mention]:
        return [it for it in self.places if it.defines]


def definitions(here: Name, snapshot: Snapshot, workspace: WorkspaceFiles) -> list[Mention]:
    """Return where a name is defined. This is cheaper than `mentions`."""
    if here.thing == SKILL:
        homes = {it.path for it in _skills(snapshot, workspace) if it.name == here.text}
        return [_skill_definition(it, workspace) for it in sorted(homes)]
    own = _FileMentions.of(snapshot, here).definitions
    suite = workspace.suite(snapshot) if not own else None
    paths = (suite.eval_path, suite.project_path) if suite is not None else ()
    above = [workspace.snapshot(it) for it in paths if it is not None]
    return own or [
        found for it in above if it is not None for found in _FileMentions.of(it, here).definitions
    ]


def mentions(snapshot: Snapshot, place: Place, workspace: WorkspaceFiles) -> Mentions | None:
    """Return every occurrence of the name at a place, or None if there is no name."""
    here = name_at(snapshot.form, snapshot.tree, place) if snapshot.form is not None else None
    if here is None:
        return None
    if here.thing == SKILL:
        return _skill_mentions(here, snapshot, workspace)
    project = _defining_project(here, snapshot, workspace)
    if project is not None:
        return _project_mentions(here, project, snapshot, workspace)
    named = [_FileMentions.of(it, here) for it in workspace.members(snapshot)]
    own = named[0]
    root = next((it for it in named if it.is_root), own)
    home = own if own.definitions else root
    if home is root:
        # A file that defines the name itself means its own thing.
        reached = [root, *(it for it in named if it is not root and not it.definitions)]
    else:
        reached = [own]
    taken = frozenset(name for it in (home, root) for name in it.others)
    return Mentions(here, tuple(found for it in reached for found in it.all), taken)


@dataclass(frozen=True, slots=True)
class _FileMentions:
    """The occurrences of a name in one file, and the other names that it defines."""

    is_root: bool
    all: tuple[Mention, ...]
    others: frozenset[str]

    @property
    def definitions(self) -> list[Mention]:
        return [it for it in self.all if it.defines]

    @classmethod
    def of(cls, snapshot: Snapshot, wanted: Name) -> "_FileMentions":
        form = snapshot.form
        if form is None:
            return cls(False, (), frozenset())
        found = [it for it in names_in(form, snapshot.tree) if it.thing == wanted.thing]
        same = tuple(_mention(snapshot, it) for it in found if it.text == wanted.text)
        others = frozenset(it.text for it in found if it.defines and it.text != wanted.text)
        return cls(form.runnable == "eval", same, others)


def _mention(snapshot: Snapshot, name: Name) -> Mention:
    return Mention(
        snapshot.uri,
        snapshot.text,
        name.span,
        name.inner,
        name.style,
        name.defines,
        name.pointer,
        snapshot.tree,
    )


def _skill_mentions(here: Name, snapshot: Snapshot, workspace: WorkspaceFiles) -> Mentions:
    known = _skills(snapshot, workspace)
    homes = {it.path for it in known if it.name == here.text}
    defined = [_skill_definition(it, workspace) for it in sorted(homes)]
    used = (
        found
        for member in workspace.mentioning(here.text, snapshot)
        for found in _FileMentions.of(member, here).all
        if member is snapshot or _can_mean(homes, here.text, member, workspace)
    )
    return Mentions(here, (*defined, *used), frozenset(it.name for it in known if it.name != here.text))


def _can_mean(homes: set[Path], name: str, member: Snapshot, workspace: WorkspaceFiles) -> bool:
    """Whether a name in another file can refer to one of these skills, not to another skill of the same name."""
    theirs = {it.path for it in _skills(member, workspace) if it.name == name}
    return not theirs or not homes or bool(theirs & homes)


def _defining_project(here: Name, snapshot: Snapshot, workspace: WorkspaceFiles) -> Snapshot | None:
    """Return the project file if it defines things of this kind. It can be the document itself."""
    suite = workspace.suite(snapshot)
    path = suite.project_path if suite is not None else None
    project = workspace.snapshot(path) if path is not None else None
    if project is None and snapshot.form is not None and snapshot.form.runnable in {"", "experiment"}:
        project = snapshot
    is_home = project is not None and project.form is not None and has_definitions(project.form, here.thing)
    return project if is_home else None


def _project_mentions(
    here: Name, project: Snapshot, snapshot: Snapshot, workspace: WorkspaceFiles
) -> Mentions:
    """Return the occurrences of a name that the project file defines, in all files of the project."""
    home = _FileMentions.of(project, here)
    used = (
        found
        for member in workspace.mentioning(here.text, snapshot)
        if member.path != project.path and _has_project(member, project, workspace)
        for found in _FileMentions.of(member, here).all
    )
    return Mentions(here, (*home.all, *used), home.others)


def _has_project(member: Snapshot, project: Snapshot, workspace: WorkspaceFiles) -> bool:
    suite = workspace.suite(member)
    return suite is not None and suite.project_path == project.path


def _skills(snapshot: Snapshot, workspace: WorkspaceFiles) -> list[Skill]:
    suite = workspace.suite(snapshot)
    return list(skills(suite, workspace.files)) if suite is not None else []


def _skill_definition(path: Path, workspace: WorkspaceFiles) -> Mention:
    """Return where a skill is named: in the front matter of its SKILL.md, or else at the top of the file."""
    source = workspace.files.text(path) or ""
    text = Text(split_lines(source), workspace.encoding)
    located = Tree.of(front_lines(source)).find(("name",))
    if located is None or located.node.is_empty:
        return Mention(path.as_uri(), text, _TOP, _TOP, "", defines=True)
    lines = 1 + located.value.start.line - located.node.start.line
    node = located.node
    return Mention(
        path.as_uri(), text, node.span.shift(lines), node.inner.shift(lines), node.style, defines=True
    )
