r"""Compares workspace files with snapshots, or searches them for fragments.

## What it looks at
The file content captured right after the run, under the path exactly as written. If the file was not captured, it is
read from the workspace.

## Score
Each entry has one check for reading the file, one for its snapshot and one for each fragment. The score is the share
of checks that passed. Example: the snapshot of a file differs, its one fragment is found. That makes 1 + 1 + 1 = 3
checks, of which 2 pass: 2 / 3 = 0.67, and the grader fails.

## Errors
The run ends with an error if a path is absolute, leaves the workspace or is the workspace itself.

## Example
```yaml
type: diff
name: fixed-the-import
config:
  expected_files:
    - path: src/main.py
      contains:
        - +import os
        - -import sys
```

## Watch out
- This is not a patch: `+` means that the text appears somewhere in the file, `-` that it does not.
- Fragments are trimmed on both sides, so indentation is not checked. They are case-sensitive.
- Snapshots are compared byte for byte: CRLF differs from LF.
- Snapshot paths are relative to `context_dir` or, without it, to the directory where waza was started.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, model_validator

from waza_engine.graders.base import FailedCheck, GradeError, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.close_files import unreadable_file
from waza_engine.graders.excerpts import line_difference, nearest_line, occurrence
from waza_engine.lib.files.safe_write import open_own, refuse_escape
from waza_engine.lib.go.text import decode, trim
from waza_engine.lib.paths import PathError, clean_path, file_bytes, is_missing, real_path, workspace_path
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import Flag, ListOf, Strings, Text
from waza_engine.model.findings import Finding
from waza_engine.model.results.evidence import Place
from waza_engine.model.schema_marks import FileModel, foreign_keys, marks
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.escaping_path import escaping_path
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


@dataclass(frozen=True, slots=True)
class SnapshotUpdate:
    """The effect of update mode on one snapshot: `created`, `updated` or `unchanged`."""

    path: str
    snapshot: str
    status: str
    lines_changed: int

    def as_details(self) -> dict[str, Any]:
        """Return the update as it appears in a result's details."""
        return {
            "path": self.path,
            "snapshot": self.snapshot,
            "status": self.status,
            "lines_changed": self.lines_changed,
        }


class Snapshots:
    """The snapshots of one grading: `difference` compares them, `updates` lists what update mode wrote.

    `context_dir` is relative to `process_dir` and may be empty. If it is set, no snapshot may be outside of it.
    """

    def __init__(self, process_dir: Path, context_dir: str, *, update: bool) -> None:
        self._process_dir = process_dir
        self._context_dir = context_dir
        self._update = update
        self.updates: list[SnapshotUpdate] = []

    def difference(self, path: str, snapshot: str, data: bytes) -> str | None:
        """Return why `data` does not match the snapshot; None if it matches or the snapshot was updated."""
        place = self._place(snapshot)
        if place is None:
            return f"the snapshot {snapshot} is not inside {self._context_dir}"
        expected = file_bytes(place)
        if not self._update:
            if expected is None:
                return f"cannot read the snapshot {snapshot}"
            return None if data == expected else f"differs from the snapshot {snapshot}"
        return self._update_error(path, snapshot, place, data, expected)

    def first_difference(self, snapshot: str, data: bytes) -> str:
        """Return the first line of a file that differs from its snapshot; "" if nothing can be compared."""
        place = self._place(snapshot)
        expected = file_bytes(place) if place is not None else None
        return line_difference(decode(expected), decode(data)) if expected is not None else ""

    def _place(self, snapshot: str) -> str | None:
        """Return the path of a snapshot; None if it is outside of the context directory or its folder is missing."""
        if not self._context_dir:
            return os.path.join(self._process_dir, snapshot)  # noqa: PTH118  # the text may hold a NUL
        base = os.path.join(self._process_dir.absolute(), self._context_dir)  # noqa: PTH118
        try:
            root = os.path.realpath(base, strict=True)
            name = clean_path(os.path.join(base, snapshot))  # noqa: PTH118
            folder = os.path.realpath(os.path.dirname(name), strict=True)  # noqa: PTH120
            place = os.path.realpath(os.path.join(folder, os.path.basename(name)))  # noqa: PTH118, PTH119
        except (OSError, ValueError):
            return None
        return place if place != root and Path(place).is_relative_to(root) else None

    def _update_error(
        self, path: str, snapshot: str, place: str, data: bytes, expected: bytes | None
    ) -> str | None:
        """Write the snapshot if it differs; return why that was impossible, or None."""
        if expected is None and not is_missing(place):
            return f"cannot read the snapshot {snapshot}"
        status = "created" if expected is None else "unchanged" if data == expected else "updated"
        if status != "unchanged" and not self._write(place, data):
            return f"cannot write the snapshot {snapshot}"
        self.updates.append(SnapshotUpdate(path, snapshot, status, _lines_changed(expected or b"", data)))
        return None

    def _write(self, place: str, data: bytes) -> bool:
        try:
            refuse_escape(Path(place))
            if not self._context_dir:
                Path(place).parent.mkdir(parents=True, exist_ok=True)
            with open_own(real_path(Path(place))) as file:
                file.write(data)
        except (OSError, ValueError):
            return False
        return True


def _lines_changed(before: bytes, after: bytes) -> int:
    """Count the line numbers at which two texts differ; CRLF counts as LF."""
    old, new = (decode(it).replace("\r\n", "\n").split("\n") for it in (before, after))
    return sum(a != b for a, b in zip_longest(old, new, fillvalue=""))


class ExpectedFile(FileModel):
    """One file, with a snapshot or fragments to compare with."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["snapshot"]}, {"required": ["contains"]}],
            **foreign_keys({"file": "path", "expected": "snapshot", "must_match": "contains"}),
        }
    )

    path: Text = Field(
        min_length=1,
        description="Path of the file, relative to the workspace.",
        examples=["src/main.py"],
        json_schema_extra=marks(path=("workspace", "file")),
    )
    snapshot: Text = Field(
        default="",
        description=(
            "File to compare with, byte for byte. Relative to `context_dir`, or to the directory where waza starts."
        ),
        examples=["snapshots/main.py"],
        json_schema_extra=marks(path=("process", "file")),
    )
    contains: Strings = Field(
        default=[],
        description="Strings that must appear in the file (with `+` or no prefix) or must not appear (with `-`).",
        examples=[["+import os", "-import sys"]],
    )

    @model_validator(mode="after")
    def _has_something_to_compare(self) -> "ExpectedFile":
        if not self.snapshot and not self.contains:
            raise ValueError("nothing to compare with: add 'snapshot' or 'contains'")
        return self

    @property
    def checks(self) -> int:
        """The number of checks: readable, snapshot, one for each fragment."""
        return 1 + bool(self.snapshot) + len(self.contains)

    def unreadable(self, pointer: Pointer, lost: FailedCheck) -> Iterator[FailedCheck]:
        """Yield all checks of the entry at `pointer` as failed, because the file cannot be read, as `lost` says."""
        yield replace(lost, pointer=(*pointer, "path"), message=f'cannot read "{self.path}"')
        if self.snapshot:
            message = f"{self.path}: not compared with {self.snapshot}"
            yield replace(lost, pointer=(*pointer, "snapshot"), message=message)
        for index, fragment in enumerate(self.contains):
            message = f'{self.path}: "{fragment}" not checked'
            yield replace(lost, pointer=(*pointer, "contains", index), message=message)

    def wrong_fragments(self, data: bytes, pointer: Pointer) -> Iterator[FailedCheck]:
        """Yield a failed check for each missing or unwanted fragment."""
        for index, fragment in enumerate(self.contains):
            text = fragment_text(fragment)
            unwanted = fragment.startswith("-")
            # An empty fragment is skipped, and a skipped check has passed.
            if text and (text.encode() in data) is unwanted:
                content_text = decode(data)
                yield FailedCheck(
                    (*pointer, "contains", index),
                    f'{self.path}: "{text}" {"found" if unwanted else "not found"}',
                    occurrence(text, content_text, any_case=False)
                    if unwanted
                    else nearest_line(text, content_text),
                    wanted=f"{'no text' if unwanted else 'text'}: {text}",
                    place=Place("file", path=self.path),
                )


def fragment_text(fragment: str) -> str:
    """Return the text to search for: without one leading `+` or `-`, and trimmed."""
    return trim(fragment[1:] if fragment.startswith(("+", "-")) else fragment)


class DiffGrader(Grader):
    type_name = "diff"
    without_file: ClassVar[str] = "the check fails"

    expected_files: ListOf[ExpectedFile] = Field(
        min_length=1,
        description="Files to check, each with a snapshot or fragments.",
        examples=[[{"path": "src/main.py", "contains": ["+import os"]}]],
    )
    context_dir: Text = Field(
        default="",
        description=(
            "Directory of the snapshots: their paths start in it and may not leave it. Relative to the directory "
            "where waza starts."
        ),
        examples=["evals/deploy/fixtures"],
        json_schema_extra=marks(path=("process", "directory"), base_for="process"),
    )
    update_snapshots: Flag = Field(
        default=False,
        description="Write missing or different snapshots instead of failing. Same as `--update-snapshots`.",
        examples=[True],
    )

    @classmethod
    def run_files(cls, config: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
        """Yield the snapshots, resolved in `context_dir`; none in update mode, which creates missing ones."""
        if config.get("update_snapshots") is True:
            return
        folder = config.get("context_dir")
        for place, entry in _raw_entries(config):
            snapshot = entry.get("snapshot")
            if isinstance(snapshot, str) and snapshot:
                is_inside = isinstance(folder, str) and folder and not snapshot.startswith("/")
                yield (*place, "snapshot"), f"{folder}/{snapshot}" if is_inside else snapshot

    @classmethod
    def writes_files(cls, config: Mapping[str, Any]) -> bool:
        """Whether it updates its snapshots."""
        return config.get("update_snapshots") is True

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        for place, entry in _raw_entries(config):
            texts = entry.get("contains")
            # waza ignores null items.
            is_empty = not texts or (isinstance(texts, list) and all(it is None for it in texts))
            if "contains" in entry and is_empty and not entry.get("snapshot"):
                message = "An empty list counts as missing: add a 'snapshot', or strings under 'contains'"
                yield EMPTY_VALUE.at((*place, "contains"), message, refused=True)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for index, entry in enumerate(self.expected_files):
            yield from escaping_path(entry.path, ("expected_files", index, "path"))
            for position, fragment in enumerate(entry.contains):
                if not fragment_text(fragment):
                    place = ("expected_files", index, "contains", position)
                    yield TRIVIAL_CHECK.at(place, "The fragment is empty, so this check always passes")

    def grade(self, context: GradingContext) -> GraderResult:
        if context.workspace_dir is None and not context.captured_files:
            return GraderResult.failed("The run has no workspace and no captured files")
        places = [_place(context, it.path) for it in self.expected_files]
        snapshots = Snapshots(
            context.process_dir, self.context_dir, update=self.update_snapshots or context.update_snapshots
        )
        failures: list[FailedCheck] = []
        for index, (entry, place) in enumerate(zip(self.expected_files, places, strict=True)):
            pointer = ("expected_files", index)
            data = context.captured_files.get(entry.path)
            if data is None and place is not None:
                data = file_bytes(place, anywhere=True)
            if data is None:
                failures += entry.unreadable(pointer, _lost(context.workspace_dir, entry.path, place))
                continue
            if entry.snapshot and (reason := snapshots.difference(entry.path, entry.snapshot, data)):
                found = snapshots.first_difference(entry.snapshot, data)
                file = Place("file", path=entry.path)
                failures.append(
                    FailedCheck((*pointer, "snapshot"), f"{entry.path}: {reason}", found, place=file)
                )
            failures += entry.wrong_fragments(data, pointer)
        return GraderResult.of_checks(
            sum(it.checks for it in self.expected_files),
            failures,
            expected_files=[it.model_dump() for it in self.expected_files],
            workspace_dir=str(context.workspace_dir or ""),
            snapshot_updates=[it.as_details() for it in snapshots.updates] or None,
        )


def _lost(workspace: Path | None, path: str, place: str | None) -> FailedCheck:
    """Return the failed check of a file that cannot be read; without a workspace nothing else is known."""
    if workspace is None or place is None:
        return FailedCheck((), "", place=Place("file", path=path), cause=f'cannot read "{path}"')
    return unreadable_file(workspace, path, is_missing=is_missing(place))


def _raw_entries(config: Mapping[str, Any]) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    files = config.get("expected_files")
    for index, entry in enumerate(files if isinstance(files, list) else ()):
        if isinstance(entry, Mapping):
            yield ("expected_files", index), entry


def _place(context: GradingContext, path: str) -> str | None:
    """Return the file's path in the workspace; None without a workspace."""
    if context.workspace_dir is None:
        return None
    try:
        return workspace_path(context.workspace_dir, path)
    except PathError as error:
        raise GradeError(str(error)) from error
