"""Hover paragraphs (Markdown) that come from other files and from runs.

They show path targets, shares of the score, definitions of names, recorded results and failed checks.
"""

import os
import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.paths import normal_path
from waza_engine.project.skills import SKILL, skill_at
from waza_lsp.schema.markup import escaped, fenced
from waza_lsp.schema.paths import PathValue, path_value_at
from waza_lsp.schema.references import Name, name_at
from waza_lsp.schema.type_words import code
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.workspace.recorded_facts import recorded_facts
from waza_lsp.workspace.references import Mention, definitions
from waza_lsp.workspace.score_shares import score_shares
from waza_lsp.workspace.workspace import WorkspaceFiles


class RunNote(NamedTuple):
    """What runs tell of a task or a grader, as Markdown, at `span`."""

    span: Span
    text: str


class CheckFailure(NamedTuple):
    """A failed check that a run reported for the text at `span`. With `names_task`, the hover names the task.

    `excerpt` has the recorded lines around what the check found, with their numbers.
    """

    span: Span
    task: str
    message: str
    excerpt: str = ""
    names_task: bool = False


def failure_paragraphs(it: CheckFailure) -> Iterator[str]:
    """Return the recorded lines around what a failed check found. Editors show its message as a diagnostic.

    A single line that the message quotes in full is left out.
    """
    line = " ".join(it.excerpt.split()[1:])
    if not it.excerpt or ("\n" not in it.excerpt and line in it.message):
        return
    of_task = f" of {code(it.task)}" if it.names_task and it.task else ""
    yield f"Recorded lines{of_task}:\n{fenced(it.excerpt, 'text')}"


_MAX_PATHS = 5
_MAX_LINES = 15
_CHOOSING_LEVELS = 3
_NUMBER = re.compile(r"[\d._]+")
_MAX_DESCRIPTION = 400


def hover_facts(
    snapshot: Snapshot,
    located: Located,
    place: Place,
    workspace: WorkspaceFiles,
    *,
    failed_tasks: Set[str] = frozenset(),
) -> Iterator[str]:
    """Return the paragraphs about a value: path target, share of the score, definition, recorded results.

    The hover already shows that the tasks in `failed_tasks` failed here, so their results are left out.
    """
    if snapshot.form is None:
        return
    yield from _weight_facts(snapshot, located, workspace)
    yield from recorded_facts(snapshot, located, workspace, failed_tasks)
    yield from _power_facts(snapshot, located, workspace)
    if located.on_key:
        return
    value = path_value_at(snapshot.form, snapshot.tree, snapshot.path, workspace, located)
    if value is not None:
        yield _path_fact(value, workspace)
    elif (name := name_at(snapshot.form, snapshot.tree, place)) is not None:
        yield from _name_facts(name, snapshot, workspace)


def _path_fact(value: PathValue, workspace: WorkspaceFiles) -> str:
    found = value.targets(workspace)
    start = _display_path(value.folder, workspace)
    if not found:
        return (
            f"No file matches below {code(start)}."
            if value.is_pattern
            else f"File not found below {code(start)}."
        )
    if not value.is_pattern:
        what = "Folder" if workspace.is_directory(found[0]) else "File"
        return f"{what} {_link(found[0], _display_path(found[0], workspace))}"
    listed = ", ".join(_link(it, os.path.relpath(it, value.folder)) for it in found[:_MAX_PATHS])
    more = f" and {len(found) - _MAX_PATHS} more" if len(found) > _MAX_PATHS else ""
    count = "1 file" if len(found) == 1 else f"{len(found)} files"
    return f"Matches {count}: {listed}{more}"


def _weight_facts(snapshot: Snapshot, located: Located, workspace: WorkspaceFiles) -> Iterator[str]:
    key = located.pointer[-1] if located.pointer else None
    schema = snapshot.schema_at(located.pointer) if isinstance(key, str) else None
    if schema is None:
        return
    if "x-share-of-list" in schema:
        yield from _list_share(snapshot, located, float(schema.get("default", 1)))
    if "x-share" not in schema:
        return
    for it in score_shares(snapshot, workspace):
        if it.entry.site.pointer == located.pointer[:-1]:
            yield f"**{it.percent}** of the score of {'a' if it.least < it.most else 'the'} task."


def _power_facts(snapshot: Snapshot, located: Located, workspace: WorkspaceFiles) -> Iterator[str]:
    """Return what the chosen number of tasks or trials can show. Only the first levels of a file choose any.

    They choose them by numbers, lists and mappings. Counting the tasks of a large file is too slow for every other hover.
    """
    node = located.node
    is_text = node.kind is Kind.SCALAR and node.source and not _NUMBER.fullmatch(str(node.source))
    if not is_text and 0 < len(located.pointer) <= _CHOOSING_LEVELS and isinstance(located.pointer[-1], str):
        # Imported late: the server starts without statistics.
        from waza_lsp.workspace.power_facts import power_facts

        yield from power_facts(snapshot, located.pointer, workspace)


def _list_share(snapshot: Snapshot, located: Located, usual: float) -> Iterator[str]:
    """Return the share of a weight in the sum of its list."""
    *place, index, key = located.pointer
    value: Any = snapshot.data
    for part in place:
        value = value.get(part) if isinstance(value, dict) else None
    items = [it.get(key, usual) if isinstance(it, dict) else usual for it in value or ()]
    weights = [it if isinstance(it, (int, float)) else usual for it in items]
    if isinstance(index, int) and index < len(weights) and sum(weights) > 0:
        yield f"**{weights[index] / sum(weights):.0%}** of the weights in this list."


def _name_facts(name: Name, snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[str]:
    if name.defines:
        # Elsewhere the definition itself is under the cursor, so a hover would only repeat it.
        yield from _owner_fact(snapshot, workspace) if len(name.pointer) == 1 else ()
        return
    for it in definitions(name, snapshot, workspace):
        path = path_of(it.uri)
        if name.thing == SKILL and path is not None:
            yield _skill_fact(path, workspace)
        else:
            where = "" if it.uri == snapshot.uri else f"In {_mention_link(it, workspace)}:\n"
            yield f"{where}{fenced(_definition_lines(it), 'yaml')}"
            return


def _owner_fact(snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[str]:
    """Return a link to the eval that lists this file."""
    suite = workspace.suite(snapshot)
    if suite is not None and suite.eval_path != snapshot.path:
        yield f"Listed by {_link(suite.eval_path, _display_path(suite.eval_path, workspace))}"


def _skill_fact(path: Path, workspace: WorkspaceFiles) -> str:
    skill = skill_at(path, workspace.files)
    said = (
        skill.description
        if len(skill.description) <= _MAX_DESCRIPTION
        else skill.description[:_MAX_DESCRIPTION] + "…"
    )
    return "\n\n".join(it for it in (escaped(said), _link(path, _display_path(path, workspace))) if it)


def _definition_lines(mention: Mention) -> str:
    """Return the text of the mapping that defines a name, without its indentation."""
    located = mention.tree.find(mention.pointer[:-1]) if mention.tree is not None else None
    (first, column), (last, _) = located.value if located is not None else mention.span
    lines = [mention.text.line(it)[column:] for it in range(first, last + 1)]
    return "\n".join(lines if len(lines) <= _MAX_LINES else [*lines[:_MAX_LINES], "..."])


def _link(path: Path, shown: str) -> str:
    return f"[{code(shown)}]({path.as_uri()})"


def _mention_link(mention: Mention, workspace: WorkspaceFiles) -> str:
    path = path_of(mention.uri)
    return _link(path, _display_path(path, workspace)) if path is not None else mention.uri


def _display_path(path: Path, workspace: WorkspaceFiles) -> str:
    """Return a path for display, relative to the start folder of runs if it is below it."""
    path = normal_path(path)
    start = workspace.process_dir
    return (
        path.relative_to(start).as_posix()
        if start is not None and path.is_relative_to(start)
        else path.as_posix()
    )
