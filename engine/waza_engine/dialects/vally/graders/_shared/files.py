"""Base classes of the file graders and their `-not-` twins.

See docs/reference/vally.md, section 7.2.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Text, has_placeholder
from waza_engine.dialects.vally.globs import matching_files, refusal
from waza_engine.dialects.vally.graders._shared.output import Negatable
from waza_engine.dialects.vally.graders._shared.patterns import (
    match_in,
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.close_files import missing_file
from waza_engine.graders.excerpts import nearest_line, nearest_to_pattern, occurrence
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.paths import file_bytes
from waza_engine.model.findings import Finding
from waza_engine.model.results.evidence import Place
from waza_engine.model.schema_marks import marks
from waza_engine.rules.escaping_path import ESCAPING_PATH, inside_fixes
from waza_engine.rules.pattern_as_text import pattern_as_text
from waza_engine.rules.trivial_check import TRIVIAL_CHECK

_MAX_LISTED = 5


def path_refusals(path: str) -> Iterator[Finding]:
    """Yield the error about the option `path` if it leads out of the workspace."""
    if not has_placeholder(path) and (reason := refusal(path)):
        message = f"{reason}: vally rejects it. Use a path inside the workspace"
        yield ESCAPING_PATH.at(("path",), message, fixes=inside_fixes(path, ("path",)), refused=True)


class FileExists(Negatable):
    """Checks whether a glob matches files."""

    requires_workspace: ClassVar[bool] = True

    path: Text = Field(
        min_length=1,
        description=(
            "File name or glob, relative to the workspace: `*`, `?`, `**`, `{a,b}`. Matches hidden files, but no "
            "directories."
        ),
        examples=["src/**/*.ts"],
        json_schema_extra=marks(path=("workspace", "glob")),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        yield from path_refusals(self.path)

    def check(self, scope: Scope) -> Iterator[Finding]:
        if not has_placeholder(self.path) and not refusal(self.path) and self.path.endswith("/"):
            fate = "always passes" if self.negated else "always fails"
            yield TRIVIAL_CHECK.at(
                ("path",), f"Only files match, and this path is a directory: the check {fate}"
            )

    def grade(self, context: GradingContext) -> GraderResult:
        workspace = context.workspace_dir
        if workspace is None or context.workspace_status == "remote":
            where = "is on another machine" if workspace is not None else "was not kept"
            return GraderResult.undecided(f"Cannot look for files: the workspace {where}")
        try:
            hits = {path: self._is_hit(workspace / path) for path in matching_files(workspace, self.path)}
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell which files match: {error}")
        return self._verdict(hits, workspace)

    def _verdict(self, hits: Mapping[str, bool | None], workspace: Path) -> GraderResult:
        files = [path for path, hit in hits.items() if hit]
        unreadable = [path for path, hit in hits.items() if hit is None]
        details = {**self.model_dump(exclude={"negate"}), "negate": self.negated, "files": files}
        if not files and unreadable:
            return GraderResult.undecided(
                f"Cannot tell: {_listing(unreadable)} cannot be read or searched", details
            )
        feedback = (
            f"{_listing(files)} {self._predicate}" if files else f"No file {self.path} {self._predicate}"
        )
        if bool(files) is not self.negated:
            return GraderResult(1.0, True, feedback, details)
        return GraderResult.failed(
            feedback, details, (self._failed_check(feedback, [*hits], files, workspace),)
        )

    def _failed_check(
        self, feedback: str, candidates: list[str], hits: list[str], workspace: Path
    ) -> FailedCheck:
        """Return the failed check, with the file that comes closest, or the first of `hits`, which are unwanted."""
        if not candidates:
            return replace(missing_file(workspace, self.path, ("path",)), message=feedback)
        path = (hits or candidates)[0]
        data = file_bytes(workspace / path, anywhere=True)
        found = self._excerpt(data.decode("utf-8", "replace"), hit=bool(hits)) if data is not None else ""
        wanted = f"{'no ' if hits else ''}file: {self.path} {self._predicate}"
        return FailedCheck(("path",), feedback, found, wanted=wanted, place=Place("file", path=path))

    def _excerpt(self, text: str, *, hit: bool) -> str:
        """Return what a file has that matches, or that comes closest to what should match."""
        return ""

    def _is_hit(self, path: Path) -> bool | None:
        """Whether a file that matches the glob meets the condition; None if unknown."""
        return True

    @property
    def _predicate(self) -> str:
        return "exists"


class _FileText(FileExists):
    """Checks the content of matching files."""

    def _is_hit(self, path: Path) -> bool | None:
        data = file_bytes(path, anywhere=True)
        return None if data is None else self._is_in(data.decode("utf-8", "replace"))

    @abstractmethod
    def _is_in(self, text: str) -> bool | None: ...


class FileContains(_FileText):
    """Checks whether a matching file contains a string."""

    value: Text = Field(
        description="String to find (case-sensitive).",
        examples=["DEBUG = False"],
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from super().check(scope)
        if not self.value:
            yield TRIVIAL_CHECK.at(
                ("value",), "Every file contains the empty string, so only the file's existence counts"
            )
        twin = self.type_name.replace("contains", "matches")
        yield from pattern_as_text(self.value, ("value",), f"'{twin}'")

    def _is_in(self, text: str) -> bool:
        return self.value in text

    def _excerpt(self, text: str, *, hit: bool) -> str:
        return occurrence(self.value, text, any_case=False) if hit else nearest_line(self.value, text)

    @property
    def _predicate(self) -> str:
        return f"contains '{self.value}'"


class FileMatches(_FileText):
    """Checks whether a matching file matches a pattern."""

    pattern: Text = Field(
        description="JavaScript pattern to find anywhere in the file; a leading `(?i)`, `(?m)` or `(?s)` sets flags.",
        examples=["(?m)^DEBUG = False$"],
        json_schema_extra=pattern_marks(),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        yield from super().refusals(scope)
        yield from pattern_refusals(self.pattern, ("pattern",))

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from super().check(scope)
        yield from pattern_findings(self.pattern, ("pattern",))

    def _is_in(self, text: str) -> bool | None:
        try:
            return js_matches(self.pattern, text)
        except TooSlowError:
            return None

    def _excerpt(self, text: str, *, hit: bool) -> str:
        return match_in(self.pattern, text) if hit else nearest_to_pattern(self.pattern, text)

    @property
    def _predicate(self) -> str:
        return f"matches {self.pattern}"


def _listing(files: list[str]) -> str:
    more = f" and {len(files) - _MAX_LISTED} more" if len(files) > _MAX_LISTED else ""
    return ", ".join(files[:_MAX_LISTED]) + more
