"""What completion offers brings no finding, in the example files.

At line ends, behind keys and in values, each item can be accepted, with the defaults of its tab stops. The text then has
no new error and no new finding about something deprecated or without effect. What the author has yet to fill in may be
missing.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from lsprotocol import types

from tests.behaviour.completion_harness import Completions, check_labels
from tests.behaviour.fixes_harness import findings_of
from waza_engine.model.findings import Severity
from waza_lsp.features.completion import completion
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.references import known_names
from waza_lsp.workspace.workspace import WorkspaceFiles

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(EXAMPLES.rglob("*.yaml"))
UNFILLED = {
    *("missing-key", "wrong-type", "empty-value", "missing-companion", "bad-mock", "bad-schema-version"),
    *(
        "missing-file",
        "environment-file-not-found",
        "missing-fixture",
        "missing-dataset",
        "missing-required-skill",
    ),
    *("invalid-constraint-value", "bad-experiment"),
}
"""What a key without its value, or the example in a tab stop, still lacks."""
EXEMPT = {
    types.CompletionItemKind.Value: "another value is the author's decision; another `type` makes its options foreign",
    types.CompletionItemKind.File: "an existing file; whether a runner can read it as a task is not checked",
    types.CompletionItemKind.Folder: "the start of a longer path",
    types.CompletionItemKind.Variable: "a piece of code or of a pattern",
}
"""Items that are not tried, and why."""

Seen = Counter[tuple[str, str]]


def positions(text: str) -> Iterator[tuple[str, types.Position]]:
    """Yield texts with a position: line ends, values and keys as they are, new lines, and lines without a value."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        yield text, types.Position(number, len(line))
        indent = len(line) - len(line.lstrip(" -"))
        if not line.strip():
            continue
        for column in dict.fromkeys([indent, max(0, indent - 2), indent + 2]):
            new = "\n".join([*lines[: number + 1], " " * column, *lines[number + 1 :]])
            yield new, types.Position(number + 1, column)
        if found := re.match(r" *(?:- )?[\w-]+: (?=[^|>#&{\[])", line):
            yield text, types.Position(number, found.end())
            without = "\n".join([*lines[:number], found[0], *lines[number + 1 :]])
            yield without, types.Position(number, found.end())


def objections(snapshot: Snapshot) -> Seen:
    """Return the findings that an offered item must not cause."""
    return Counter(
        (it.finding.code, re.sub(r"\d+", "N", it.finding.message))
        for it in findings_of(snapshot)
        if it.finding.code not in UNFILLED
        and (it.finding.severity is Severity.ERROR or it.finding.rule.tags & {"unused", "deprecated"})
    )


def surroundings(text: str, position: types.Position) -> tuple[object, ...]:
    """Return the keys above a position, the keys beside it, and its line.

    Where these are equal, accepting an item has equal consequences, so each item is tried once.
    """
    lines = text.split("\n")
    here = lines[position.line]
    column = _column(here) if here.strip() else position.character
    above: list[str] = []
    beside: set[str] = set()
    limit, is_inside = column, not here.lstrip().startswith("-")
    for line in filter(str.strip, reversed(lines[: position.line])):
        if _column(line) < limit:
            limit, is_inside = _column(line), False
            above.append(_key(line))
        elif is_inside and _column(line) == column:
            beside.add(_key(line))
            is_inside = not line.lstrip().startswith("-")
    for line in filter(str.strip, lines[position.line + 1 :]):
        if _column(line) < column or (_column(line) == column and line.lstrip().startswith("-")):
            break
        if _column(line) == column:
            beside.add(_key(line))
    return (*above, frozenset(beside), here[: position.character], here[position.character :])


def _column(line: str) -> int:
    return len(line) - len(line.lstrip(" -"))


def _key(line: str) -> str:
    return line.strip(" -").partition(":")[0]


@pytest.mark.parametrize("every", [40, pytest.param(12, marks=pytest.mark.slow)])
def test_accepting_an_item_brings_no_finding(every: int) -> None:
    tried: set[object] = set()
    for path in FILES:
        workspace = WorkspaceFiles(path.parents[1] if path.parent.name == "tasks" else path.parent)
        places = list(positions(path.read_text(encoding="utf-8")))
        for text, position in places[::every]:
            snapshot = Snapshot.of(path.as_uri(), text)
            known = partial(known_names, snapshot=snapshot, workspace=workspace)
            items = [*completion(snapshot, position, files=workspace, names_elsewhere=known).items]
            offered = Completions(snapshot, position, items)
            form = snapshot.form and (snapshot.form.dialect, snapshot.form.kind)
            place = (form, surroundings(text, position))
            new_items = [it for it in items if it.kind not in EXEMPT and (place, it.label) not in tried]
            before = objections(snapshot) if new_items else Counter()
            for item in new_items:
                tried.add((place, item.label))
                result = offered.applied(item)
                new = objections(Snapshot.of(path.as_uri(), result)) - before
                assert not new, f"{path} at {position}: '{item.label}' brings {new}\n{result}"
    assert len(tried) > 100


EVAL = "name: a\nskill: b\nconfig:\n  {}\n{}"
MOCK = "command_mocks:\n  - name: k\n    responses:\n      - {}\n        ¦\n"
STIMULUS = "stimuli:\n  - name: a\n    {}\n    ¦\n"


@pytest.mark.parametrize(
    ("document", "lacks", "has"),
    [
        (EVAL.format("model: m", "tasks: [a.yaml]\n¦\n"), ["tasks_from", "range", "inputs"], ["hooks"]),
        (EVAL.format("model: m", "tasks_from: a.csv\n¦\n"), ["tasks"], ["range", "inputs"]),
        (EVAL.format("parallel: true\n  ¦", ""), ["fail_fast"], ["workers"]),
        (EVAL.format("fail_fast: true\n  ¦", ""), ["parallel"], []),
        (EVAL.format("parallel: false\n  ¦", ""), [], ["fail_fast"]),
        (MOCK.format("args: [a]"), ["args_regex"], ["stdout", "fixture", "sequence"]),
        (MOCK.format("sequence: [{stdout: x}]"), ["stdout", "fixture", "stderr", "exit_code"], ["args"]),
        (MOCK.format("fixture: a.txt"), ["stdout", "sequence"], ["stderr"]),
        (STIMULUS.format("turns: [a, b]"), ["prompt"], ["graders"]),
    ],
)
def test_a_key_that_excludes_another_one_is_not_offered(
    document: str, lacks: list[str], has: list[str]
) -> None:
    check_labels(document, lacks=lacks, has=has)
