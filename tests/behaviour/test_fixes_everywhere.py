"""Every offered fix, in the example files in several layouts, after all kinds of mistakes.

A fix touches nothing but its own lines, its finding is gone afterwards, and the best one brings no new error.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.behaviour.fix_mutations import (
    MUTATIONS,
    Mutation,
    missing_keys,
    misspelt_keys,
    misspelt_words,
    no_blank_after_colon,
    no_blank_after_dash,
    patterns_in_double_quotes,
    quoted_numbers,
    settings_at_the_top,
)
from tests.behaviour.fixes_harness import draft_of, findings_of, restyle
from tests.slow import first_quick
from waza_engine.model.findings import Severity
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.fixes.fixes import Solution, apply_fixes, solutions
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(it.relative_to(EXAMPLES).as_posix() for it in EXAMPLES.rglob("*.yaml"))
VALLY = {
    it.parent.name for it in EXAMPLES.glob("*/eval.yaml") if "stimuli:" in it.read_text(encoding="utf-8")
}
LAYOUTS = [(2, 0, "\n"), (2, 2, "\r\n"), (3, 3, "\n"), (4, 4, "\r\n"), (4, 2, "\n")]

UNKNOWABLE = {
    *("bad-mock", "missing-companion", "invalid-scoring-weight-key", "missing-file"),
    # A quoted template still names no directory of a skill.
    "missing-required-skill",
}
"""Only the author knows the value of a placeholder, so the next finding asks for it."""


HARMFUL: dict[tuple[str, Mutation], str] = {
    (
        "vally",
        missing_keys,
    ): "a missing type is guessed by its options alone, not by the shape of their values",
}
"""Mutations whose preferred fix causes another finding, and why."""


Errors = Counter[tuple[str, str]]


@pytest.mark.parametrize("suites", ["waza", "vally"])
@pytest.mark.parametrize("mutation", first_quick(MUTATIONS, 4), ids=lambda it: it.__name__)
def test_fixes_remove_the_finding_and_break_nothing(
    mutation: Mutation, suites: str, request: pytest.FixtureRequest
) -> None:
    if reason := HARMFUL.get((suites, mutation)):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    tried = 0
    for at, name in enumerate(FILES):
        if (name.partition("/")[0] in VALLY) is not (suites == "vally"):
            continue
        path = EXAMPLES / name
        good = restyle(path.read_text(encoding="utf-8"), *LAYOUTS[at % len(LAYOUTS)])
        # There are few examples of vally, so more of each.
        for text in _some(mutation(good), at, 3 if suites == "vally" else 11):
            tried += _check_fixes(Snapshot.of(path.as_uri(), text))
    # vally has no settings that people put at the top of a task.
    assert tried > 0 or (suites, mutation) == ("vally", settings_at_the_top)


def _some(texts: Iterator[str], at: int, every: int = 11) -> Iterator[str]:
    """Return a part of the texts, at least one, because mistakes of one kind are similar."""
    found = list(texts)
    yield from found[-at % every :: every] or found[:1]


def _check_fixes(snapshot: Snapshot) -> int:
    if snapshot.form is None:
        return 0
    marks = findings_of(snapshot)
    errors = _errors(marks)
    tried = 0
    for mark in marks:
        found = solutions(mark, draft_of(snapshot), snapshot.form.schema)
        assert len(found) <= 3
        for index, it in enumerate(found):
            _check_solution(snapshot, mark, errors, it, is_best=index == 0)
            tried += 1
    return tried


def _check_solution(
    snapshot: Snapshot, mark: RangedFinding, errors: Errors, solution: Solution, *, is_best: bool
) -> None:
    draft = draft_of(snapshot).apply(solution.edits)
    _check_lines(snapshot, str(draft.text), solution)
    after = _errors(findings_of(Snapshot.of(snapshot.uri, str(draft.text))))
    told = f"{solution.title}\n{draft.text}"
    if mark.finding.severity is Severity.ERROR:
        assert after[_key(mark)] < errors[_key(mark)], told
    new = {it for it in after - errors if it[0] not in UNKNOWABLE and "{{" not in it[1]}
    # A tab tells no column: where several would do, the line may go to one that the format does not allow.
    if is_best and "tabs" not in solution.title:
        assert not new, f"{new}\n{told}"


def _check_lines(snapshot: Snapshot, after: str, solution: Solution) -> None:
    """Check that bytes outside the edits and line endings are unchanged."""
    before = snapshot.text.lines
    touched = {line for it in solution.edits for line in range(it.span.start.line, it.span.end.line + 1)}
    kept = [line for at, line in enumerate(before) if at not in touched]
    left = iter(after.splitlines(keepends=True))
    assert all(any(it == line for it in left) for line in kept if line), solution.title
    if "\r\n" in before[0]:
        assert re.search(r"(?<!\r)\n|\r(?!\n)", after) is None


def _errors(marks: list[RangedFinding]) -> Errors:
    return Counter(_key(it) for it in marks if it.finding.severity is Severity.ERROR)


def _key(mark: RangedFinding) -> tuple[str, str]:
    """Return the finding without its advice, which can depend on neighbouring text."""
    return mark.finding.code, re.split(r"[.;] ", mark.finding.message)[0]


@pytest.mark.parametrize(
    "mutation",
    first_quick(
        [
            misspelt_keys,
            misspelt_words,
            quoted_numbers,
            no_blank_after_colon,
            no_blank_after_dash,
            patterns_in_double_quotes,
        ]
    ),
    ids=lambda it: it.__name__,
)
def test_what_is_safe_to_fix_gives_back_the_text_before_the_mistake(mutation: Mutation) -> None:
    restored = 0
    for at, name in enumerate(FILES):
        path = EXAMPLES / name
        good = restyle(path.read_text(encoding="utf-8"), *LAYOUTS[at % len(LAYOUTS)])
        for text in _some(mutation(good), at):
            snapshot = Snapshot.of(path.as_uri(), text)
            if snapshot.form is None:
                continue
            tried = apply_fixes(draft_of(snapshot), snapshot.form.schema, partial(_errors_of_draft, snapshot))
            if tried[1]:
                assert str(tried[0].text) == good, tried[1]
                restored += 1
    assert restored > 0


def _errors_of_draft(snapshot: Snapshot, draft: Draft) -> list[RangedFinding]:
    found = findings_of(snapshot.with_text(draft.text, draft.tree))
    return [it for it in found if it.finding.severity is Severity.ERROR]
