"""The preferred fix of every finding of the rule pages and repairs, in several layouts.

Its finding is gone afterwards, nothing new is found, and all bytes outside its edits are as they were.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.behaviour.fixes_harness import draft_of, restyle
from tests.behaviour.rules_harness import GRADED, OF_SMALL_SAMPLES, TASK, write
from tests.behaviour.test_repairs import BESIDE, REPAIRS, file_of
from tests.behaviour.test_rules_pages import WITH_EXAMPLE
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Scope
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.features.diagnostics import findings
from waza_lsp.fixes.fixes import Solution, solutions
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft


class Case(NamedTuple):
    """A file with a mistake (`name`) and the files next to it."""

    title: str
    name: str
    files: dict[str, str]


def _cases() -> Iterator[Case]:
    for code, page in WITH_EXAMPLE.items():
        yield Case(code, page["Example"].name, dict(page["Example"].files))
    for it in REPAIRS:
        name, text = file_of(it.kind, it.before)
        yield Case(it.title, name, {**BESIDE, "eval.yaml": GRADED, "tasks/other.yaml": TASK, name: text})


def _in_flow(text: str) -> str:
    """Put the values of top-level keys into brackets. An invalid text stays unchanged."""
    try:
        data = plain(read_yaml(text))
    except YamlError:
        return text
    if not isinstance(data, dict):
        return text
    return "".join(f"{key}: {json.dumps(it, default=str)}\n" for key, it in data.items())


def _with_comments(text: str) -> str:
    """Add a comment above each top-level key, and one at the end of its line if there is room."""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        is_key = line[:1].isalpha() and ":" in line
        lines += [f"# about {line.partition(':')[0]}\n", line] if is_key else [line]
    return "".join(lines)


LAYOUTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "CRLF and deeper lists": lambda text: restyle(text, 2, 2, "\r\n"),
    "four columns": lambda text: restyle(text, 4, 2, "\n"),
    "comments": _with_comments,
    "brackets": _in_flow,
}
UNKNOWABLE = {
    "bad-mock",
    "missing-companion",
    "invalid-json-schema",
    "empty-value",
    "unloadable-task",
    "unlisted-fixture",
    "missing-prompt-file",
    "other-skill",
}
"""Only the author knows the value of a placeholder, or which of two to keep, so the next finding asks for it."""


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_best_fix_removes_the_finding_and_breaks_nothing(layout: str, tmp_path: Path) -> None:
    tried = 0
    number = [*LAYOUTS].index(layout)
    for index, case in enumerate(_cases()):
        # As it is, and in two of the other layouts.
        if number and (index + number) % 2:
            continue
        root = tmp_path / str(index)
        text = LAYOUTS[layout](case.files[case.name])
        write(root / "evals", {**case.files, case.name: text})
        path = root / "evals" / case.name
        path.write_text(text, encoding="utf-8", newline="")
        tried += _check(case, path, root)
    assert tried > 100


def _check(case: Case, path: Path, root: Path) -> int:
    world = CheckContext(path, Scope(path.parent, root), Files())
    snapshot = Snapshot.of(path.as_uri(), path.read_bytes().decode())
    if snapshot.form is None:
        return 0
    marks = findings(snapshot, world)
    tried = 0
    for mark in marks:
        best = next(iter(solutions(mark, draft_of(snapshot), snapshot.form.schema)), None)
        if best is not None:
            created = [it for it, _ in best.files if not it.exists()]
            write(root, {str(it.relative_to(root)): text for it, text in best.files})
            _check_best(case, snapshot, world, marks, mark, best)
            for it in created:
                it.unlink()
            tried += 1
    return tried


def _check_best(
    case: Case,
    snapshot: Snapshot,
    world: CheckContext,
    marks: list[RangedFinding],
    mark: RangedFinding,
    best: Solution,
) -> None:
    draft: Draft = draft_of(snapshot).apply(best.edits)
    told = f"{case.title}: {best.title}\n{draft.text}"
    before = Counter(_key(it) for it in marks)
    after = Counter(_key(it) for it in findings(Snapshot.of(snapshot.uri, str(draft.text)), world))
    assert after[_key(mark)] < before[_key(mark)], told
    new = {it for it in after - before if it[0] not in UNKNOWABLE | OF_SMALL_SAMPLES}
    assert not new, f"{new}\n{told}"
    _check_lines(snapshot, str(draft.text), best)


def _check_lines(snapshot: Snapshot, after: str, best: Solution) -> None:
    before = snapshot.text.lines
    touched = {line for it in best.edits for line in range(it.span.start.line, it.span.end.line + 1)}
    left = iter(after.splitlines(keepends=True))
    kept = [line for at, line in enumerate(before) if at not in touched]
    assert all(any(it == line for it in left) for line in kept if line), best.title
    if "\r\n" in before[0]:
        assert after.count("\n") == after.count("\r\n"), best.title


def _key(mark: RangedFinding) -> tuple[str, str]:
    return mark.finding.code, mark.finding.message.partition(";")[0].partition(". ")[0]
