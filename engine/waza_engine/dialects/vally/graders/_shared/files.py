"""The file graders and their `-not-` twins: which files a glob finds, and what stands in them.

See docs/reference/vally.md, section 7.2.
"""

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Text, has_placeholder
from waza_engine.dialects.vally.globs import matching_files, refusal
from waza_engine.dialects.vally.graders._shared.output import Negatable
from waza_engine.dialects.vally.graders._shared.patterns import (
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.paths import file_bytes
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import marks
from waza_engine.rules.escaping_path import ESCAPING_PATH
from waza_engine.rules.pattern_as_text import pattern_as_text
from waza_engine.rules.trivial_check import TRIVIAL_CHECK

_MOST_NAMED = 5


class FileExists(Negatable):
    """Whether a glob finds files."""

    requires_workspace: ClassVar[bool] = True

    path: Text = Field(
        min_length=1,
        description=(
            "A file name or glob, relative to the workspace: `*`, `?`, `**`, `{a,b}`. Names with a leading dot count, "
            "directories do not."
        ),
        examples=["src/**/*.ts"],
        json_schema_extra=marks(path=("workspace", "glob")),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if not has_placeholder(self.path) and (reason := refusal(self.path)):
            yield ESCAPING_PATH.at(
                ("path",), f"{reason}: vally refuses it. Name a path inside the workspace", refused=True
            )

    def check(self, scope: Scope) -> Iterator[Finding]:
        if not has_placeholder(self.path) and not refusal(self.path) and self.path.endswith("/"):
            fate = "always passes" if self.negated else "always fails"
            yield TRIVIAL_CHECK.at(
                ("path",), f"Only files are looked for, and this is a directory: it {fate}"
            )

    def grade(self, context: GradingContext) -> GraderResult:
        workspace = context.workspace_dir
        if workspace is None or context.workspace_status == "remote":
            where = "is on another machine" if workspace is not None else "was not kept"
            return GraderResult.undecided(f"Cannot look for files: the workspace {where}")
        try:
            hits = {path: self._is_hit(workspace / path) for path in matching_files(workspace, self.path)}
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell which files are meant: {error}")
        return self._verdict(
            [path for path, hit in hits.items() if hit], [path for path, hit in hits.items() if hit is None]
        )

    def _verdict(self, files: list[str], doubts: list[str]) -> GraderResult:
        details = {**self.model_dump(exclude={"negate"}), "negate": self.negated, "files": files}
        if not files and doubts:
            return GraderResult.undecided(
                f"Cannot tell: {_named(doubts)} cannot be read or searched", details
            )
        said = f"{_named(files)} {self._said}" if files else f"No file {self.path} {self._said}"
        if bool(files) is not self.negated:
            return GraderResult(1.0, True, said, details)
        return GraderResult.failed(said, details, (FailedCheck(("path",), said),))

    def _is_hit(self, place: Path) -> bool | None:
        """Whether a file that the glob found is looked for; None when nobody can tell."""
        return True

    @property
    def _said(self) -> str:
        return "exists"


class _FileText(FileExists):
    """Whether some file has something in it."""

    def _is_hit(self, place: Path) -> bool | None:
        data = file_bytes(place)
        return None if data is None else self._is_in(data.decode("utf-8", "replace"))

    @abstractmethod
    def _is_in(self, text: str) -> bool | None: ...


class FileContains(_FileText):
    """Whether some file contains a text."""

    value: Text = Field(
        description="The text to look for; upper and lower case count.",
        examples=["DEBUG = False"],
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from super().check(scope)
        if not self.value:
            yield TRIVIAL_CHECK.at(
                ("value",), "An empty text is in every file: only the file's existence counts"
            )
        twin = self.type_name.replace("contains", "matches")
        yield from pattern_as_text(self.value, ("value",), f"'{twin}'")

    def _is_in(self, text: str) -> bool:
        return self.value in text

    @property
    def _said(self) -> str:
        return f"contains '{self.value}'"


class FileMatches(_FileText):
    """Whether some file matches a pattern."""

    pattern: Text = Field(
        description="A JavaScript pattern to look for anywhere in the file; a leading `(?i)`, `(?m)`, `(?s)` sets flags.",
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

    @property
    def _said(self) -> str:
        return f"matches {self.pattern}"


def _named(files: list[str]) -> str:
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    return ", ".join(files[:_MOST_NAMED]) + more
