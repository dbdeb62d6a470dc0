"""Files before and after a repair: the finding is on the faulty token before, and gone after."""

import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.behaviour.findings_harness import Found
from tests.behaviour.rules_harness import EVAL, GRADED, TASK, findings_at, write

FOLDER = Path(__file__).parent / "repairs"


class Repair(NamedTuple):
    """A part of a file before and after. `kind` names the file or part; `code` and `token` are the expected finding."""

    title: str
    kind: str
    code: str
    token: str
    before: str
    after: str


def _repairs() -> list[Repair]:
    return [
        _repair(it)
        for path in sorted(FOLDER.glob("*.txt"))
        for it in path.read_text("utf-8").split("=== ")[1:]
    ]


def _repair(text: str) -> Repair:
    title, header, body = text.split("\n", 2)
    before, _, after = body.partition("---- repaired\n")
    kind, code, token = header.split(" ", 2)
    return Repair(title, kind, code, token, before, after.rstrip() + "\n")


def _config(text: str) -> str:
    """Return the usual settings plus these."""
    given = {line.strip().partition(":")[0].lower().replace("-", "_") for line in text.splitlines()}
    stands_for = {
        "timeoutseconds": "timeout_seconds",
        "timeout": "timeout_seconds",
        "trials": "trials_per_task",
        "runs_per_test": "trials_per_task",
        "engine": "executor",
    }
    taken = given | {stands_for[it] for it in given & stands_for.keys()}
    usual = [it for it in EVAL.splitlines() if it.strip().partition(":")[0] not in taken]
    at = usual.index("config:") + 1
    return "\n".join([*usual[:at], *text.splitlines(), *usual[at:]]) + "\n"


def file_of(kind: str, text: str) -> tuple[str, str]:
    """Return the name and text of the file that contains the part."""
    match kind:
        case "eval":
            return "eval.yaml", text
        case "config":
            return "eval.yaml", _config(text)
        case "grader":
            return "eval.yaml", EVAL + "graders:\n  - " + textwrap.indent(text, "    ").lstrip()
        case "hook":
            return "eval.yaml", EVAL + "hooks:\n  before_run:\n    - " + textwrap.indent(
                text, "      "
            ).lstrip()
        case "task":
            return "tasks/first.yaml", text
        case "triggers":
            return "trigger_tests.yaml", text
        case _:
            return ".waza.yaml", text


BESIDE = {
    "skills/notes/SKILL.md": "---\nname: notes\ndescription: Takes notes.\n---\n",
    "fixtures/notes.txt": "Budget: 3\n",
}


def _found(kind: str, text: str, folder: Path) -> list[Found]:
    name, whole = file_of(kind, text)
    files = {**BESIDE, "eval.yaml": GRADED, "tasks/other.yaml": TASK, name: whole}
    write(folder / "evals", files)
    return findings_at(folder / "evals" / name, folder / "evals")


REPAIRS = _repairs()


@pytest.mark.parametrize("repair", REPAIRS, ids=lambda it: it.title.replace(" ", "-"))
def test_a_mistake_is_found_and_its_repair_is_not(repair: Repair, tmp_path: Path) -> None:
    before = _found(repair.kind, repair.before, tmp_path / "before")
    assert [(it.code, it.underlined) for it in before] == [(repair.code, repair.token)], before
    assert _found(repair.kind, repair.after, tmp_path / "after") == []
