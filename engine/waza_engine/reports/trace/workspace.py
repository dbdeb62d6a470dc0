"""Replay what an agent did to its workspace: the texts before the first step, and each change at its step.

A call states what it changes (`told`), or only the state at the end shows it (`found`). The record has that state, and
the diff from the state at the start; recordings of other tools may have neither. Then only parts of files are known.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace.edits import FileEdit, edits_of, may_change_files, path_arguments
from waza_engine.reports.trace.patches import FilePatch, read_diff
from waza_engine.reports.trace.steps import Step

_MOST_CHARACTERS = 8_000_000
"""From so many characters of changed texts on, changes are stated as parts: a file of 1 MB may be edited 100 times."""
_MOST_SEARCHED = 1_000_000_000
"""From so many characters on, edits are no longer searched for in the texts: it takes about a second."""
_DRIVE = re.compile(r"^[A-Za-z]:/")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of one file at a step. `text` is the text after it, None if the file is gone.

    With `is_part` only this part of the text is known, and `before` is what it replaces.
    """

    step: int
    path: str
    text: str | None
    how: Literal["told", "found"]
    is_part: bool = False
    before: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files before the first step, and their changes in the order of the steps. `final` are the files at the end.

    It is not `is_exact` if a step changed files in a way that the record does not show.
    """

    is_exact: bool
    initial: Mapping[str, str]
    changes: Sequence[FileChange]
    uncaptured: Sequence[str]
    final: Mapping[str, str] = field(default_factory=dict)


def workspace_of(trajectory: Trajectory, steps: Sequence[Step], folder: str = "") -> Workspace:
    """Return the workspace of a trial. `folder` is the agent's folder, if it is known."""
    patches = {it.path: it for it in read_diff(trajectory.patch or "")}
    has_diff = trajectory.patch is not None
    has_files = bool(trajectory.files) or (has_diff and all(it.is_deleted for it in patches.values()))
    final = {_normal(path): text for path, text in trajectory.files.items()}
    gone = {_normal(it) for it in trajectory.removed}
    unread = {_normal(it) for it in trajectory.uncaptured}
    replay = _Replay(_Paths.of(steps, {*final, *patches, *gone, *unread}, folder))
    if has_files:
        replay.start(_before(final, patches) if has_diff else _undone(final, steps, replay.paths))
    for step in steps:
        replay.perform(step)
    if has_files:
        replay.reconcile(final, gone, unread, len(steps))
    else:
        replay.add_patches(patches, len(steps))
    changes = sorted(replay.changes, key=lambda it: it.step)
    is_told = all(it.how == "told" for it in changes)
    return Workspace(
        is_told and not replay.is_doubtful and (has_files or not replay.opaque),
        replay.initial,
        changes,
        sorted(unread),
        final if has_files else replay.state,
    )


def _before(final: Mapping[str, str], patches: Mapping[str, FilePatch]) -> dict[str, str]:
    """Return the texts before the first step, by taking the diff back."""
    texts: dict[str, str] = {}
    for path in sorted({*final, *patches}):
        patch = patches.get(path)
        if patch is None:
            texts[path] = final[path]
        elif not patch.is_new and (text := patch.before(final.get(path))) is not None:
            texts[path] = text
    return texts


def _undone(final: Mapping[str, str], steps: Sequence[Step], paths: "_Paths") -> dict[str, str]:
    """Return the texts before the first step without a diff, by taking back what calls state, from the last to the first."""
    texts: dict[str, str | None] = dict(final)
    searched = 0
    for step in reversed(steps):
        if step.call is None or step.call.success is False:
            continue
        for edit in reversed(edits_of(step.call.name, step.call.arguments)):
            path = paths.find(edit.path)
            text = texts.get(path)
            if text is None:
                continue
            searched += len(text)
            if searched <= _MOST_SEARCHED:
                texts[path] = _taken_back(text, edit)
    return {path: text for path, text in texts.items() if text is not None}


def _taken_back(text: str, edit: FileEdit) -> str | None:
    """Return the text before an edit; None if the edit made the file, as far as is known."""
    if edit.whole is not None or edit.moved_from or edit.is_deleted:
        return None
    if edit.line is None and edit.new and text.count(edit.new) == 1:
        return text.replace(edit.new, edit.old)
    return text


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/")) if path else ""


@dataclass(frozen=True, slots=True)
class _Paths:
    """Finds the path from the workspace's folder for the paths that agents use; many use absolute ones."""

    root: str

    @classmethod
    def of(cls, steps: Sequence[Step], known: set[str], folder: str) -> "_Paths":
        if folder:
            return cls(_normal(folder))
        roots: Counter[str] = Counter()
        for path in (_normal(it) for it in _named_paths(steps)):
            if not _is_absolute(path):
                continue
            for at in (it.start() for it in re.finditer("/", path)):
                if path[at + 1 :] in known:
                    # The longest path in the workspace: its first occurrence.
                    roots[path[:at]] += 1
                    break
        found = roots.most_common(1)
        return cls(found[0][0] if found else "")

    def find(self, path: str) -> str:
        """Return the path from the workspace's folder; "" for a file outside of it."""
        normal = _normal(path)
        if _is_absolute(normal):
            if not self.root:
                return normal
            return normal[len(self.root) + 1 :] if normal.startswith(f"{self.root}/") else ""
        return "" if normal.startswith("..") else normal


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path))


def _named_paths(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        if step.call is not None:
            yield from path_arguments(step.call.arguments)
            yield from (it.path for it in edits_of(step.call.name, step.call.arguments))


@dataclass(slots=True)
class _Replay:
    """The files while the steps are performed again."""

    paths: _Paths
    initial: Mapping[str, str] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)
    changes: list[FileChange] = field(default_factory=list)
    is_started: bool = False
    is_doubtful: bool = False
    opaque: int = 0
    """The last step that may have changed any file."""
    _doubted: dict[str, int] = field(default_factory=dict)
    """The last step whose stated change did not fit, by path."""
    _told: dict[str, int] = field(default_factory=dict)
    _characters: int = 0
    _searched: int = 0

    def start(self, initial: Mapping[str, str]) -> None:
        self.initial, self.state, self.is_started = initial, dict(initial), True

    def perform(self, step: Step) -> None:
        if step.call is None:
            return
        if may_change_files(step.call.name, step.call.arguments):
            self.opaque = step.n
        if step.call.success is False:
            return
        for edit in edits_of(step.call.name, step.call.arguments):
            if path := self.paths.find(edit.path):
                self._apply(step.n, path, edit)

    def reconcile(self, final: Mapping[str, str], gone: set[str], unread: set[str], last: int) -> None:
        """Add the changes that only the state at the end shows."""
        known = {*self.initial, *(it.path for it in self.changes)}
        for path in sorted({*self.state, *final, *gone}):
            text = final.get(path)
            is_lost = path in gone and path not in known
            if path not in unread and (self.state.get(path) != text or is_lost):
                self._add(FileChange(self._step_of(path, last), path, text, "found"))

    def add_patches(self, patches: Mapping[str, FilePatch], last: int) -> None:
        """Add the changes of a diff that no call states, where nothing else is known of the files."""
        for path, patch in patches.items():
            step = self._step_of(path, last)
            texts = ["".join(it[1:] for it in body if it[:1] in {" ", "+"}) for _, body in patch.hunks]
            if patch.is_binary:
                continue
            if patch.is_new or patch.is_deleted:
                text = "".join(texts) if patch.is_new else None
                if text is None or self.state.get(path) != text:
                    self._add(FileChange(step, path, text, "found"))
            elif path not in self._told:
                for (_, body), new in zip(patch.hunks, texts, strict=True):
                    old = "".join(it[1:] for it in body if it[:1] in {" ", "-"})
                    self._add(FileChange(step, path, new, "found", is_part=True, before=old))

    def _step_of(self, path: str, last: int) -> int:
        """Return the last step that could have changed a file."""
        told = self._told.get(path, 0)
        return max(self.opaque, self._doubted.get(path, 0), told) or last

    def _apply(self, step: int, path: str, edit: FileEdit) -> None:
        if edit.moved_from:
            self._move(step, path, self.paths.find(edit.moved_from))
            return
        if edit.is_deleted:
            self._add(FileChange(step, path, None, "told"))
            return
        before = self.state.get(path)
        self._searched += len(before or "")
        text = edited(before, edit) if self._searched <= _MOST_SEARCHED or edit.whole is not None else None
        if text is not None:
            self._add(_shortened(FileChange(step, path, text, "told"), edit, self._characters))
            self.state[path] = text
        elif before is None and not self.is_started:
            # The file as a whole is not known.
            self._add(FileChange(step, path, edit.new, "told", is_part=True, before=edit.old))
        else:
            self._doubted[path] = step
            self.is_doubtful = True

    def _move(self, step: int, path: str, source: str) -> None:
        text = self.state.get(source)
        if text is None:
            self.is_doubtful = True
            return
        self._add(FileChange(step, source, None, "told"))
        self._add(FileChange(step, path, text, "told"))

    def _add(self, change: FileChange) -> None:
        self._characters += len(change.text or "")
        self._told[change.path] = change.step
        self.changes.append(change)
        if change.is_part:
            return
        if change.text is None:
            self.state.pop(change.path, None)
        else:
            self.state[change.path] = change.text


def _shortened(change: FileChange, edit: FileEdit, so_far: int) -> FileChange:
    """Return only the changed part of a file where the whole texts would be too many."""
    if edit.whole is not None or not edit.old or so_far + len(change.text or "") <= _MOST_CHARACTERS:
        return change
    return FileChange(change.step, change.path, edit.new, "told", is_part=True, before=edit.old)


def edited(text: str | None, edit: FileEdit) -> str | None:
    """Return a text after an edit; None if the edit does not fit."""
    if edit.whole is not None:
        return edit.whole
    if text is None:
        return edit.new if edit.line == -1 else None
    if edit.line is not None:
        return _inserted(text, edit.line, edit.new)
    if edit.everywhere:
        return text.replace(edit.old, edit.new) if edit.old in text else None
    for old, new in ((edit.old, edit.new), (edit.old.removesuffix("\n"), edit.new.removesuffix("\n"))):
        if old and old in text:
            return text.replace(old, new, 1)
    return None


def _inserted(text: str, line: int, new: str) -> str | None:
    if line < 0:
        return text + new
    lines = text.split("\n")
    if line > len(lines):
        return None
    return "\n".join([*lines[:line], new.removesuffix("\n"), *lines[line:]])


def workspace_data(workspace: Workspace) -> dict[str, Any]:
    """Return the workspace as JSON data of the trace document."""
    return {
        "is_exact": workspace.is_exact,
        "initial": workspace.initial,
        "changes": [_change_data(it) for it in workspace.changes],
        "uncaptured": workspace.uncaptured,
    }


def _change_data(change: FileChange) -> dict[str, Any]:
    data = {"step": change.step, "path": change.path, "text": change.text, "how": change.how}
    return data | ({"is_part": True, "before": change.before} if change.is_part else {})
