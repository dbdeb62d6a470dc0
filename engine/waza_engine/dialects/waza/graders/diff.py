r"""Files of the workspace compared with snapshots, or searched for fragments.

## What it looks at
The content captured right after the run, looked up under the path exactly as written; a file that was not captured
is read from the workspace.

## Score
Each entry counts one check for being readable, one for its snapshot and one for each fragment; the score is the
share of checks that passed. A file with a snapshot that differs and one fragment that is found: 1 + 1 + 1 = 3
checks, 2 passed, 2 / 3 = 0.67, not passed.

## Errors
A path that is absolute, leaves the workspace or is the workspace itself ends the run with an error.

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
- This is no patch: `+` means that the text occurs somewhere in the file, `-` that it does not.
- Fragments are trimmed on both sides, so indentation is not checked. Upper and lower case matter.
- Snapshots are compared byte for byte: CRLF is not LF.
- A snapshot is relative to `context_dir`, or to the directory that waza was started in.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, model_validator

from waza_engine.graders.base import FailedCheck, GradeError, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import nearest_line, occurrence
from waza_engine.lib.go.text import decode, trim
from waza_engine.lib.paths import PathError, clean_path, file_bytes, is_missing, workspace_path
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import Flag, ListOf, Strings, Text
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import FileModel, foreign_keys, marks
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.escaping_path import escaping_path
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


@dataclass(frozen=True, slots=True)
class SnapshotUpdate:
    """What happened to one snapshot in update mode: `created`, `updated` or `unchanged`."""

    path: str
    snapshot: str
    status: str
    lines_changed: int

    def as_details(self) -> dict[str, Any]:
        """The form it has in a result's details."""
        return {
            "path": self.path,
            "snapshot": self.snapshot,
            "status": self.status,
            "lines_changed": self.lines_changed,
        }


class Snapshots:
    """The snapshots of one grading: `difference` compares, `updates` collects what update mode did.

    `context_dir` (may be empty) is relative to `process_dir`; when it is given, no snapshot may lie outside of it.
    """

    def __init__(self, process_dir: Path, context_dir: str, *, update: bool) -> None:
        self._process_dir = process_dir
        self._context_dir = context_dir
        self._update = update
        self.updates: list[SnapshotUpdate] = []

    def difference(self, path: str, snapshot: str, data: bytes) -> str | None:
        """Why `data` is not what the snapshot holds; None when it is, or when the snapshot was written."""
        place = self._place(snapshot)
        if place is None:
            return f"the snapshot {snapshot} is not inside {self._context_dir}"
        expected = file_bytes(place)
        if not self._update:
            if expected is None:
                return f"cannot read the snapshot {snapshot}"
            return None if data == expected else f"differs from the snapshot {snapshot}"
        return self._updated(path, snapshot, place, data, expected)

    def _place(self, snapshot: str) -> str | None:
        """The file of a snapshot; None when it lies outside of the context directory or its folder is not there."""
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
        return place if place.startswith(root.rstrip("/") + "/") else None

    def _updated(
        self, path: str, snapshot: str, place: str, data: bytes, expected: bytes | None
    ) -> str | None:
        if expected is None and not is_missing(place):
            return f"cannot read the snapshot {snapshot}"
        status = "created" if expected is None else "unchanged" if data == expected else "updated"
        if status != "unchanged" and not self._written(place, data):
            return f"cannot write the snapshot {snapshot}"
        self.updates.append(SnapshotUpdate(path, snapshot, status, _lines_changed(expected or b"", data)))
        return None

    def _written(self, place: str, data: bytes) -> bool:
        try:
            if not self._context_dir:
                Path(place).parent.mkdir(parents=True, exist_ok=True)
            Path(place).write_bytes(data)
        except (OSError, ValueError):
            return False
        return True


def _lines_changed(before: bytes, after: bytes) -> int:
    """Lines that differ at equal positions; CRLF counts as LF."""
    old, new = (decode(it).replace("\r\n", "\n").split("\n") for it in (before, after))
    return sum(a != b for a, b in zip_longest(old, new, fillvalue=""))


class ExpectedFile(FileModel):
    """One file, with a snapshot or fragments to compare it with."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["snapshot"]}, {"required": ["contains"]}],
            **foreign_keys({"file": "path", "expected": "snapshot", "must_match": "contains"}),
        }
    )

    path: Text = Field(
        min_length=1,
        description="The file, relative to the workspace.",
        examples=["src/main.py"],
        json_schema_extra=marks(path=("workspace", "file")),
    )
    snapshot: Text = Field(
        default="",
        description=(
            "File to compare with, byte for byte; relative to `context_dir`, or to the directory waza starts in."
        ),
        examples=["snapshots/main.py"],
        json_schema_extra=marks(path=("process", "file")),
    )
    contains: Strings = Field(
        default=[],
        description="Texts that must occur (with `+` or nothing in front) or must not occur (`-` in front).",
        examples=[["+import os", "-import sys"]],
    )

    @model_validator(mode="after")
    def _has_something_to_compare(self) -> "ExpectedFile":
        if not self.snapshot and not self.contains:
            raise ValueError("nothing to compare with: give 'snapshot' or 'contains'")
        return self

    @property
    def checks(self) -> int:
        """The checks it stands for: readable, snapshot, fragments."""
        return 1 + bool(self.snapshot) + len(self.contains)

    def unreadable(self, pointer: Pointer) -> Iterator[FailedCheck]:
        """The failures of an entry whose file cannot be read: all its checks. The entry stands at `pointer`."""
        yield FailedCheck((*pointer, "path"), f"cannot read: {self.path}")
        if self.snapshot:
            yield FailedCheck((*pointer, "snapshot"), f"{self.path}: not compared with {self.snapshot}")
        for index, it in enumerate(self.contains):
            yield FailedCheck((*pointer, "contains", index), f"{self.path}: not checked: {it}")

    def wrong_fragments(self, data: bytes, pointer: Pointer) -> Iterator[FailedCheck]:
        """The fragments that do not fit the content."""
        for index, fragment in enumerate(self.contains):
            text = fragment_text(fragment)
            unwanted = fragment.startswith("-")
            # An empty fragment is skipped, and a skipped check has passed.
            if text and (text.encode() in data) is unwanted:
                content_text = decode(data)
                yield FailedCheck(
                    (*pointer, "contains", index),
                    f"{self.path}: {'found' if unwanted else 'missing'}: {text}",
                    occurrence(text, content_text, any_case=False)
                    if unwanted
                    else nearest_line(text, content_text),
                )


def fragment_text(fragment: str) -> str:
    """What is looked for: one leading `+` or `-` taken off, the rest trimmed."""
    return trim(fragment[1:] if fragment.startswith(("+", "-")) else fragment)


class DiffGrader(Grader):
    type_name = "diff"
    without_file: ClassVar[str] = "the check fails"

    expected_files: ListOf[ExpectedFile] = Field(
        min_length=1,
        description="The files to look at, each with a snapshot or fragments.",
        examples=[[{"path": "src/main.py", "contains": ["+import os"]}]],
    )
    context_dir: Text = Field(
        default="",
        description=(
            "Directory that relative snapshots start from and must stay in, relative to where waza is started."
        ),
        examples=["evals/deploy/fixtures"],
        json_schema_extra=marks(path=("process", "directory"), base_for="process"),
    )
    update_snapshots: Flag = Field(
        default=False,
        description="Write snapshots that are missing or differ instead of failing; `--update-snapshots` does it too.",
        examples=[True],
        json_schema_extra=marks(since="0.21"),
    )

    @classmethod
    def run_files(cls, config: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
        """The snapshots, in `context_dir` when they are relative; none when missing ones are written."""
        if config.get("update_snapshots") is True:
            return
        folder = config.get("context_dir")
        for place, entry in _written_files(config):
            snapshot = entry.get("snapshot")
            if isinstance(snapshot, str) and snapshot:
                is_inside = isinstance(folder, str) and folder and not snapshot.startswith("/")
                yield (*place, "snapshot"), f"{folder}/{snapshot}" if is_inside else snapshot

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        for place, entry in _written_files(config):
            texts = entry.get("contains")
            # Empty items are left out.
            is_empty = not texts or (isinstance(texts, list) and all(it is None for it in texts))
            if "contains" in entry and is_empty and not entry.get("snapshot"):
                message = "An empty list counts as missing: give a 'snapshot', or texts under 'contains'"
                yield EMPTY_VALUE.at((*place, "contains"), message, refused=True)

    def check(self, scope: Scope) -> Iterator[Finding]:
        for index, entry in enumerate(self.expected_files):
            yield from escaping_path(entry.path, ("expected_files", index, "path"))
            for position, fragment in enumerate(entry.contains):
                if not fragment_text(fragment):
                    place = ("expected_files", index, "contains", position)
                    yield TRIVIAL_CHECK.at(place, "Nothing to look for: this check always passes")

    def grade(self, context: GradingContext) -> GraderResult:
        if context.workspace_dir is None and not context.captured_files:
            return GraderResult.failed("There is no workspace and no captured file to look into")
        places = [_place(context, it.path) for it in self.expected_files]
        snapshots = Snapshots(
            context.process_dir, self.context_dir, update=self.update_snapshots or context.update_snapshots
        )
        failures: list[FailedCheck] = []
        for index, (entry, place) in enumerate(zip(self.expected_files, places, strict=True)):
            pointer = ("expected_files", index)
            data = context.captured_files.get(entry.path)
            if data is None and place is not None:
                data = file_bytes(place)
            if data is None:
                failures += entry.unreadable(pointer)
                continue
            if entry.snapshot and (reason := snapshots.difference(entry.path, entry.snapshot, data)):
                failures.append(FailedCheck((*pointer, "snapshot"), f"{entry.path}: {reason}"))
            failures += entry.wrong_fragments(data, pointer)
        return GraderResult.of_checks(
            sum(it.checks for it in self.expected_files),
            failures,
            expected_files=[it.model_dump() for it in self.expected_files],
            workspace_dir=str(context.workspace_dir or ""),
            snapshot_updates=[it.as_details() for it in snapshots.updates] or None,
        )


def _written_files(config: Mapping[str, Any]) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    files = config.get("expected_files")
    for index, entry in enumerate(files if isinstance(files, list) else ()):
        if isinstance(entry, Mapping):
            yield ("expected_files", index), entry


def _place(context: GradingContext, path: str) -> str | None:
    """Where the file is in the workspace; None without one, the path is then only looked up."""
    if context.workspace_dir is None:
        return None
    try:
        return workspace_path(context.workspace_dir, path)
    except PathError as error:
        raise GradeError(str(error)) from error
