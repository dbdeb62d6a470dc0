"""The evidence of a failed check: what it wanted, what the trial has instead, and where. Graders produce it.

Plain values without I/O. Reports, JUnit and editors read them, with the place of the check in its file
(`reports/evidence.py`).
"""

from dataclasses import dataclass, replace
from typing import Literal, Self

from waza_engine.lib.pointer import Pointer

TextName = Literal["output", "transcript", "file", "diff", "calls", "skills", "stdout", "stderr"]
"""A text of a trial that graders read. `calls` has one line per tool call, `skills` one per loaded skill."""
_TITLES = {
    "file": "the file",
    "calls": "the list of tool calls",
    "skills": "the list of loaded skills",
}
_EMPTY = {"calls": "no tool was called", "skills": "no skill was loaded"}
"""What an empty list means."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text of a trial. `line` counts from 1, and 0 means the whole text. `path` is that of a file in the workspace."""

    text: TextName = "output"
    line: int = 0
    path: str = ""

    @property
    def title(self) -> str:
        """The name of the text in a sentence: "the output" or "the file notes.txt"."""
        return f"{_TITLES.get(self.text, f'the {self.text}')} {self.path}".rstrip()

    def __str__(self) -> str:
        if not self.line:
            return self.title
        if self.path:
            return f"{self.path}:{self.line}"
        return f"call {self.line}" if self.text == "calls" else f"line {self.line} of {self.title}"


class FoundText(str):
    """What was found, with an excerpt of the surrounding lines.

    `actual` is the text to compare with what was wanted; "" for something unwanted. `line` is the line (from 1) of what
    was found, or 0. `is_empty` marks an empty text, in which nothing can be found.
    """

    __slots__ = ("actual", "excerpt", "is_empty", "line")
    excerpt: str
    actual: str
    line: int
    is_empty: bool

    def __new__(
        cls, text: str, excerpt: str = "", actual: str = "", line: int = 0, *, is_empty: bool = False
    ) -> Self:
        seen = super().__new__(cls, text)
        seen.excerpt, seen.actual, seen.line, seen.is_empty = excerpt, actual, line, is_empty
        return seen


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A failed check of a grader: the config option it belongs to, and a one-line message.

    `found` is what was there instead, "" if there is nothing to report. `excerpt` are the numbered lines around that
    place, `actual` is the text to compare with the wanted one; pass a `FoundText` as `found` to set all three, and the
    line of `place`. `place` names the text that the check looked at; by default the output. `wanted` is what the check
    requires, in words; without it, reports show the option and its value. Checks of one trial with the same `cause`
    failed for the same reason, which is reported once.
    """

    pointer: Pointer
    message: str
    found: str = ""
    excerpt: str = ""
    actual: str = ""
    wanted: str = ""
    place: Place | None = None
    cause: str = ""

    def __post_init__(self) -> None:
        found = self.found
        if not isinstance(found, FoundText):
            return
        place = self.place or Place()
        if found.line:
            place = replace(place, line=found.line)
        is_placed = self.place is not None or found.line or found.excerpt or found.is_empty
        object.__setattr__(self, "excerpt", found.excerpt)
        object.__setattr__(self, "actual", found.actual)
        object.__setattr__(self, "place", place if is_placed else None)
        object.__setattr__(self, "found", str(found))
        if found.is_empty and not self.cause:
            object.__setattr__(self, "cause", _EMPTY.get(place.text, f"{place.title} is empty"))
