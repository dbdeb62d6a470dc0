"""Requests in a suite of real files. The file with the mark is open in the editor."""

from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types

from tests.behaviour.harness import CURSOR, marked
from tests.behaviour.reading_harness import text_in
from waza_engine.lib.files.vfs import Files
from waza_lsp.features.definition import definition
from waza_lsp.features.hover import HoverNotes, hover
from waza_lsp.features.prepare_rename import prepare_rename
from waza_lsp.features.references import references
from waza_lsp.features.rename import rename
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.workspace.hover_facts import CheckFailure
from waza_lsp.workspace.workspace import WorkspaceFiles

EVAL = """\
name: notes-eval
skill: note-taker
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
graders:
  - type: text
    name: greets
    config:
      contains: [hello]
tasks:
  - "tasks/*.yaml"
"""
TASK = """\
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: notes.txt
graders:
  - type: text
    name: short
    config:
      contains: [hi]
requirements:
  - id: R1
    category: outcome
    description: It greets.
    checks:
      - {scope: eval, grader: greets}
      - {scope: task, grader: short}
"""
SKILL = """\
---
name: note-taker
description: Takes notes. USE FOR: meetings
---
# Notes
"""
SUITE = {
    "evals/eval.yaml": EVAL,
    "evals/tasks/a.yaml": TASK,
    "evals/tasks/b.yaml": TASK.replace("id: first", "id: second").replace("notes.txt", "other/plan.txt"),
    "evals/trigger_tests.yaml": "skill: note-taker\nshould_trigger_prompts:\n  - prompt: take notes\n",
    "evals/fixtures/notes.txt": "",
    "evals/fixtures/other/plan.txt": "",
    "skills/note-taker/SKILL.md": SKILL.replace("USE FOR:", "USE FOR -"),
}


class Place:
    """A cursor in one file of a suite on disk. That file is open in the editor."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        self.root = root
        name = next(it for it, text in files.items() if CURSOR in text)
        mark = marked(files[name])
        assert mark.cursor is not None
        self.position = mark.cursor
        for it, text in files.items():
            path = root / it
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(CURSOR, ""), encoding="utf-8")
        self.snapshot = Snapshot.of((root / name).as_uri(), mark.source, 1)
        opened = {root / name: self.snapshot}
        texts = Files(lambda path: str(opened[path].text) if path in opened else None)
        self.workspace = WorkspaceFiles(root, texts, opened.get, lambda: sorted(root.rglob("*.y*ml")))

    def hovered(self, *failed: CheckFailure) -> str:
        found = hover(self.snapshot, self.position, self.workspace, HoverNotes(failed))
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    def definitions(self) -> list[str]:
        return self._told(definition(self.snapshot, self.position, self.workspace))

    def references(self, *, include_declaration: bool = True) -> list[str]:
        found = references(
            self.snapshot, self.position, self.workspace, include_declaration=include_declaration
        )
        return self._told(found)

    def renamable(self) -> str | None:
        """Return the text that can be renamed, which is also the placeholder."""
        found = prepare_rename(self.snapshot, self.position, self.workspace)
        if found is None:
            return None
        assert text_in(self.snapshot, found.range) == found.placeholder
        return found.placeholder

    def renamed(self, new: str) -> dict[str, str]:
        """Return the files that a rename changes, with their new text; moved files as `old -> new`."""
        edit = rename(self.snapshot, self.position, new, self.workspace)
        assert edit is not None
        return self.applied(edit)

    def applied(self, edit: types.WorkspaceEdit) -> dict[str, str]:
        found = {uri: list(them) for uri, them in (edit.changes or {}).items()}
        moves: dict[str, str] = {}
        for it in edit.document_changes or ():
            if isinstance(it, types.TextDocumentEdit):
                found[it.text_document.uri] = [e for e in it.edits if isinstance(e, types.TextEdit)]
            elif isinstance(it, types.RenameFile):
                moves[f"{self._name(it.old_uri)} -> {self._name(it.new_uri)}"] = ""
        return {self._name(uri): self._edited(uri, edits) for uri, edits in found.items()} | moves

    def _edited(self, uri: str, edits: list[types.TextEdit]) -> str:
        snapshot = self._snapshot(uri)
        text = snapshot.text
        for it in sorted(edits, key=lambda it: (it.range.start.line, it.range.start.character), reverse=True):
            before = Snapshot.of(uri, str(text))
            text = before.with_changes(
                [types.TextDocumentContentChangePartial(it.range, it.new_text)], 2
            ).text
        return str(text)

    def _told(self, locations: list[types.Location]) -> list[str]:
        return [
            f"{self._name(it.uri)}:{it.range.start.line + 1} {text_in(self._snapshot(it.uri), it.range)}".rstrip()
            for it in locations
        ]

    def _snapshot(self, uri: str) -> Snapshot:
        path = path_of(uri)
        assert path is not None
        return (
            self.snapshot if uri == self.snapshot.uri else Snapshot.of(uri, path.read_text(encoding="utf-8"))
        )

    def _name(self, uri: str) -> str:
        path = path_of(uri)
        assert path is not None
        return path.relative_to(self.root).as_posix()


def at(root: Path, name: str, text: str, files: Mapping[str, str] = SUITE) -> Place:
    """Return the suite with the cursor in the first occurrence of a text; `¦` marks it in the text."""
    assert text.replace(CURSOR, "") in files[name], text
    source = files[name].replace(text.replace(CURSOR, ""), text, 1)
    return Place(root, {**files, name: source})
