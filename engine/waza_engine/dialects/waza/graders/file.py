r"""Checks that files exist in the workspace, or do not, and that their content matches patterns.

## What it looks at
The agent's workspace on disk after the run. Links are followed. Captured files are not used: without a workspace,
the grader fails.

## Score
Each path and each pattern is one check. Each entry of `content_patterns` adds one more check: that the file can be
read. The score is the share of checks that passed. Example: one file that exists, and one entry with two patterns of
which one does not match. That makes 1 + (1 + 2) = 4 checks, of which 3 pass: 3 / 4 = 0.75, and the grader fails.

## Errors
The run ends with an error if a path is absolute, leaves the workspace or is the workspace itself.

## Example
```yaml
type: file
name: wrote-config
config:
  must_exist: [src/settings.py]
  must_not_exist: [.env]
  content_patterns:
    - path: src/settings.py
      must_match: ['(?m)^DEBUG = False$']
      must_not_match: [password]
```

## Watch out
- Names are literal: `src/*.py` is the name of one file.
- A directory counts as existing, and so does a path below a regular file (`README.md/child`).
- An invalid pattern is a failed check, also in `must_not_match`.
- `^` and `$` match at the start and the end of the whole file. With `(?m)` they match at each line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.graders.base import (
    DraftedGrader,
    FailedCheck,
    GradeError,
    Grader,
    GraderResult,
    GradingContext,
    Scope,
)
from waza_engine.graders.close_files import missing_file, unreadable_file
from waza_engine.graders.drafts import common_files, common_lines
from waza_engine.graders.excerpts import match_excerpt, mismatch_excerpt
from waza_engine.lib.go.regexp import is_catch_all, literal, regex_error, regex_error_span, regex_matches
from waza_engine.lib.go.text import decode
from waza_engine.lib.paths import PathError, exists, file_bytes, is_missing, workspace_path
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import ListOf, Strings, Text
from waza_engine.model.findings import AppendItem, Finding, Fix, RemoveKey
from waza_engine.model.results.evidence import Place
from waza_engine.model.schema_marks import FileModel, foreign_keys, item_marks, marks
from waza_engine.rules._patterns import regex_fixes
from waza_engine.rules.contradictory_checks import required_and_forbidden
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.escaping_path import escaping_path
from waza_engine.rules.invalid_regex import INVALID_REGEX
from waza_engine.rules.non_portable_regex import doubtful_findings
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


class ContentPatterns(FileModel):
    """One file and the patterns that must, or must not, match in it."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "file": "path",
                "pattern": "must_match",
                "patterns": "must_match",
                "matches": "must_match",
                "contains": "must_match",
                "not_contains": "must_not_match",
            }
        )
    )

    path: Text = Field(
        default="",
        description="Path of the file, relative to the workspace.",
        examples=["src/settings.py"],
        json_schema_extra=marks(required=True, path=("workspace", "file")),
    )
    must_match: Strings = Field(
        default=[],
        description="RE2 patterns that must match somewhere in the file.",
        examples=[["(?m)^DEBUG = False$"]],
        json_schema_extra=item_marks(language="regex", applies_to="file"),
    )
    must_not_match: Strings = Field(
        default=[],
        description="RE2 patterns that must not match anywhere in the file.",
        examples=[["(?i)password"]],
        json_schema_extra=item_marks(language="regex", applies_to="file"),
    )

    @property
    def checks(self) -> int:
        """The number of checks: one for reading the file, one for each pattern."""
        return 1 + len(self.must_match) + len(self.must_not_match)

    def failures(self, data: bytes, pointer: Pointer) -> Iterator[FailedCheck]:
        """Yield the failed checks of the entry at `pointer`."""
        text, file = decode(data), Place("file", path=self.path)
        for option, patterns in (("must_match", self.must_match), ("must_not_match", self.must_not_match)):
            for index, pattern in enumerate(patterns):
                place = (*pointer, option, index)
                if option == "must_match" and not regex_matches(pattern, text):
                    yield FailedCheck(
                        place,
                        f'{self.path}: no match for "{pattern}"',
                        mismatch_excerpt(pattern, text),
                        place=file,
                    )
                # regex_matches() is None for an invalid pattern, and that counts as a failure.
                elif option == "must_not_match" and regex_matches(pattern, text) is not False:
                    yield FailedCheck(
                        place,
                        f'{self.path}: unwanted match for "{pattern}"',
                        match_excerpt(pattern, text),
                        place=file,
                    )

    def unreadable(self, pointer: Pointer, lost: FailedCheck) -> Iterator[FailedCheck]:
        """Yield all checks of the entry at `pointer` as failed, for the reason of `lost`."""
        yield replace(lost, pointer=(*pointer, "path"), message=f'cannot read "{self.path}"')
        for option, patterns in (("must_match", self.must_match), ("must_not_match", self.must_not_match)):
            for index, pattern in enumerate(patterns):
                message = f'{self.path}: "{pattern}" not checked'
                yield replace(lost, pointer=(*pointer, option, index), message=message)


class FileGrader(Grader):
    type_name = "file"
    at_least_one = ("must_exist", "must_not_exist", "content_patterns")

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "exists": "must_exist",
                "files": "must_exist",
                "required_files": "must_exist",
                "expected_files": "must_exist",
                "not_exists": "must_not_exist",
                "forbidden_files": "must_not_exist",
                "patterns": "content_patterns",
            }
        )
    )

    must_exist: Strings = Field(
        default=[],
        description="Files or directories that must exist, relative to the workspace.",
        examples=[["README.md", "src"]],
        json_schema_extra=item_marks(path=("workspace", "any")),
    )
    must_not_exist: Strings = Field(
        default=[],
        description="Files or directories that must not exist, relative to the workspace.",
        examples=[[".env", "node_modules"]],
        json_schema_extra=item_marks(path=("workspace", "any")),
    )
    content_patterns: ListOf[ContentPatterns] = Field(
        default=[],
        description="Files whose content must, or must not, match patterns.",
        examples=[[{"path": "README.md", "must_match": ["(?m)^# "]}]],
    )

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        new, changed = common_files(trials), common_lines(trials)
        # With more files than this, nobody wants a check for each of them.
        if not 0 < len(new) + len(changed) <= 8:
            return None
        patterns = [ContentPatterns(path=it, must_match=[literal(line)]) for it, line in changed.items()]
        about = ", ".join([*new, *changed])
        return DraftedGrader("makes-its-files", about, cls(must_exist=new, content_patterns=patterns))

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        entries = config.get("content_patterns")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, Mapping) and entry.get("path") == "":
                place = ("content_patterns", index, "path")
                yield EMPTY_VALUE.at(place, "The path is empty, so the run will end with an error")

    def check(self, scope: Scope) -> Iterator[Finding]:
        for option in ("must_exist", "must_not_exist"):
            for index, path in enumerate(getattr(self, option)):
                yield from escaping_path(path, (option, index))
        yield from required_and_forbidden(
            "must_exist", self.must_exist, "must_not_exist", self.must_not_exist
        )
        for index, entry in enumerate(self.content_patterns):
            yield from _entry_findings(entry, ("content_patterns", index))

    def grade(self, context: GradingContext) -> GraderResult:
        workspace = context.workspace_dir
        if workspace is None:
            return GraderResult.failed("The run has no workspace")
        wanted = [(it, _place(workspace, it)) for it in self.must_exist]
        unwanted = [(it, _place(workspace, it)) for it in self.must_not_exist]
        entries = [(it, _place(workspace, it.path)) for it in self.content_patterns]
        failures = [
            *(
                missing_file(workspace, path, ("must_exist", index))
                for index, (path, place) in enumerate(wanted)
                if is_missing(place)
            ),
            *(
                FailedCheck(("must_not_exist", index), f'"{path}" exists', place=Place("file", path=path))
                for index, (path, place) in enumerate(unwanted)
                if exists(place)
            ),
            *(
                failure
                for index, (entry, place) in enumerate(entries)
                for failure in _failures(entry, place, ("content_patterns", index), workspace)
            ),
        ]
        total = len(wanted) + len(unwanted) + sum(it.checks for it in self.content_patterns)
        return GraderResult.of_checks(total, failures, **self.model_dump(), workspace_dir=str(workspace))


def _failures(entry: ContentPatterns, place: str, pointer: Pointer, workspace: Path) -> Iterator[FailedCheck]:
    data = file_bytes(place, anywhere=True)
    if data is not None:
        return entry.failures(data, pointer)
    return entry.unreadable(pointer, unreadable_file(workspace, entry.path, is_missing=is_missing(place)))


def _place(workspace: Path, path: str) -> str:
    try:
        return workspace_path(workspace, path)
    except PathError as error:
        raise GradeError(str(error)) from error


def _entry_findings(entry: ContentPatterns, pointer: Pointer) -> Iterator[Finding]:
    if entry.path:
        yield from escaping_path(entry.path, (*pointer, "path"))
    if entry.checks == 1:
        message = "Without a pattern, this only checks that the file can be read. Use `must_exist` instead"
        changes = (AppendItem(("must_exist",), entry.path), RemoveKey(pointer))
        yield TRIVIAL_CHECK.at(pointer, message, fixes=[Fix("Move it to 'must_exist'", changes)])
    for option in ("must_match", "must_not_match"):
        for index, pattern in enumerate(getattr(entry, option)):
            place = (*pointer, option, index)
            if reason := regex_error(pattern):
                yield INVALID_REGEX.at(
                    place,
                    f"Not a valid RE2 pattern: {reason}",
                    part=regex_error_span(pattern),
                    fixes=regex_fixes(pattern, place),
                )
            elif is_catch_all(pattern):
                fate = "always fails" if option == "must_not_match" else "always passes"
                yield TRIVIAL_CHECK.at(place, f"This pattern matches every file, so this check {fate}")
            else:
                yield from doubtful_findings(pattern, place, lambda text: regex_error(text) is None)
