"""The questions that the server asks its helper process, and who is answered first.

An answer is a mapping of plain data. Where there is none, its member `none` says why; `waits` or `broken` say that it may
help to ask again after a run, or after an edit. Long answers come in parts.
"""

from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any, ClassVar

Answer = dict[str, Any]
HELPER = "waza_lsp.server.helper.process"
"""The module of the helper process."""


class Priority(IntEnum):
    """The order of questions. Those of equal priority are answered in the order of asking."""

    VERDICT = 1
    """The grader that is being edited."""
    OTHER_VERDICTS = 2
    """More recordings of a grader that was edited."""
    ASKED = 3
    """The user has asked, and waits: a menu, a page, a command."""
    AUDIT = 4
    REST = 5


@dataclass(frozen=True, slots=True)
class About:
    """The file that a question is about, its eval ("" if the server does not know it), and where its runs start."""

    path: str
    eval: str
    process_dir: str
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a file, with the texts of the editor."""

    priority: ClassVar[Priority] = Priority.ASKED
    seconds: ClassVar[float] = 20.0
    """How long a part of the answer may take. After that, the helper and everything that it started are killed."""

    about: About

    def data(self) -> dict[str, Any]:
        """Return the question as plain data."""
        return {"ask": type(self).__name__, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Grade(Question):
    """Grade the entry at `pointer` on the newest recording of its tasks, those that ran last first.

    Each part of the answer is `{eval, trials, left, failed: {task: checks}}`; `left` are the tasks that are still to come.
    """

    priority: ClassVar[Priority] = Priority.VERDICT
    seconds: ClassVar[float] = 5.0

    pointer: tuple[str | int, ...]
    task: str = ""
    may_execute: bool = False


@dataclass(frozen=True, slots=True)
class Explain(Question):
    """Find the recorded trials that the entry at `pointer` fails.

    Parts of `{done}`; the last is `{eval, name, trials: [{runId, task, trial, at, status, score, message}]}`, the newest
    trial first.
    """

    seconds: ClassVar[float] = 60.0

    pointer: tuple[str | int, ...]
    task: str = ""
    may_execute: bool = False


@dataclass(frozen=True, slots=True)
class Draft(Question):
    """Draft graders that pass on all trials of a task's newest run: `{drafts: [{type, about, entry}]}`."""

    task: str


@dataclass(frozen=True, slots=True)
class Audit(Question):
    """Audit tasks, in this order: parts of `{eval, tasks: {id: result}, findings, left}`."""

    priority: ClassVar[Priority] = Priority.AUDIT

    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditPage(Question):
    """Audit all tasks of an eval for a page: parts of `{eval, done, total}`, in the last one with the `html`."""

    first: str = ""
    """The task that the page begins with."""


@dataclass(frozen=True, slots=True)
class TellApart(Question):
    """Draft checks that notice broken work which passes: `{drafts: [{type, about, entry, passes, notices}]}`."""

    task: str


@dataclass(frozen=True, slots=True)
class Keep(Question):
    """Write broken work of a task into a new counter example: `{path, change}`. The user has asked for it."""

    task: str
    mutant: str


@dataclass(frozen=True, slots=True)
class Judges(Question):
    """Tell what is known of the eval's judges: `{eval, judges: [{path, pointer, grader, text}], findings}`."""

    priority: ClassVar[Priority] = Priority.REST


QUESTIONS: dict[str, type[Question]] = {
    it.__name__: it for it in (Grade, Explain, Draft, Audit, AuditPage, TellApart, Keep, Judges)
}


def question_of(data: dict[str, Any]) -> Question:
    """Return the question in plain data, as `Question.data` makes it."""
    members = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in data.items()
        if key not in {"ask", "about"}
    }
    return QUESTIONS[data["ask"]](About(**data["about"]), **members)
