"""Random edits on real and generated files: after them everything equals what a fresh open of the text gives.

As a program it goes on for as long as it is told: `python -m tests.fuzz.edits --edits 1000000 --seed 1`. What it finds
it makes small, and prints as a test would need it.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_lsp.features.code_lens import code_lens
from waza_lsp.features.diagnostics import findings
from waza_lsp.features.document_symbol import document_symbol
from waza_lsp.schema.world import World
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

EXAMPLES = Path(__file__).parents[2] / "examples"
BITS = (
    *(
        "a",
        "z",
        "0",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "- ",
        ": ",
        ":",
        "#",
        " # c",
        "'",
        '"',
        "[",
        "]",
        "{",
        "}",
        ",",
    ),
    *(
        "&x ",
        "*x",
        "<<: ",
        "!t ",
        "|\n",
        ">-\n",
        "---\n",
        "...\n",
        "\\",
        "%",
        "@",
        "\u2028",
        "\x85",
        "\ufeff",
        "😀",
        "é",
    ),
    *(
        "type: text\n",
        "  - type: file\n",
        "graders:\n",
        "config:\n",
        "tasks:\n  - a.yaml\n",
        "name: x\n",
        "id: y\n",
    ),
    *("stimuli:\n  - name: s\n", "{{.Input}}", "${X}", "\x00", "<<<<<<< HEAD\n", "# waza-lsp: ignore\n"),
)
"""What is typed: single characters that matter to YAML, and lines that matter to evals."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replace what stands between two offsets of the text by `new`."""

    start: int
    end: int
    new: str


def sources() -> list[tuple[str, str]]:
    """Files to begin with: name and text."""
    found = [(it.name, it.read_text(encoding="utf-8")) for it in sorted(EXAMPLES.rglob("*.y*ml"))]
    crlf = [(name, text.replace("\n", "\r\n")) for name, text in found[:3]]
    return [*found, *crlf, ("eval.yaml", "")]


def random_change(chance: random.Random, text: str) -> Change:
    """A likely slip of a hand: typing, deleting, pasting a part of the text elsewhere, moving a line."""
    start = chance.randrange(len(text) + 1)
    match chance.randrange(8):
        case 0 | 1 | 2:
            return Change(start, start, chance.choice(BITS))
        case 3 | 4:
            return Change(start, min(len(text), start + chance.choice((1, 1, 1, 2, 5, 20))), "")
        case 5:
            other = chance.randrange(len(text) + 1)
            return Change(start, start, text[other : other + chance.randrange(1, 80)])
        case 6:
            line = text.rfind("\n", 0, start) + 1
            end = text.find("\n", start) + 1 or len(text)
            return Change(line, end, chance.choice(("", text[line:end] * 2, "  " + text[line:end])))
        case _:
            return Change(start, min(len(text), start + 1), chance.choice(BITS))


def place_at(snapshot: Snapshot, offset: int) -> Place:
    """Where an offset of the text stands."""
    for number, line in enumerate(snapshot.text.lines):
        if offset < len(line) or number == len(snapshot.text.lines) - 1:
            return Place(number, min(offset, len(line)))
        offset -= len(line)
    return Place(0, 0)


def changed(snapshot: Snapshot, change: Change) -> Snapshot:
    """The next version, as an editor would send it."""
    span = Span(place_at(snapshot, change.start), place_at(snapshot, change.end))
    event = types.TextDocumentContentChangePartial(snapshot.range(span), change.new)
    return snapshot.changed([event], (snapshot.version or 0) + 1)


def seen(snapshot: Snapshot) -> dict[str, Any]:
    """Everything that is compared, in plain words."""
    path = snapshot.path
    marks = findings(snapshot, World(path))
    return {
        "kind": snapshot.form and (snapshot.form.dialect, snapshot.form.kind),
        "findings": [(it.span, it.finding.code, it.finding.message) for it in marks],
        "symbols": str(document_symbol(snapshot)),
        "lenses": str(code_lens(snapshot)),
    }


def difference(name: str, text: str, changes: Sequence[Change]) -> str:
    """What is wrong after the changes, empty when nothing is."""
    try:
        return _difference(name, text, changes)
    except Exception as error:  # noqa: BLE001  # a crash is what is looked for
        return repr(error)


def _difference(name: str, text: str, changes: Sequence[Change]) -> str:
    uri = f"file:///nowhere/evals/{name}"
    snapshot = Snapshot.of(uri, text, 1)
    seen(snapshot)
    for it in changes:
        snapshot = changed(snapshot, it)
        if it is not changes[-1]:
            findings(snapshot, World(snapshot.path))  # so that what is remembered with the pieces counts
    fresh = Snapshot.of(uri, str(snapshot.text), 1)
    one, other = seen(snapshot), seen(fresh)
    return next(
        (f"{it}:\n  edited {one[it]}\n  fresh  {other[it]}" for it in one if one[it] != other[it]), ""
    )


def sequences(chance: random.Random, most: int) -> Iterator[tuple[str, str, list[Change]]]:
    """Files with changes to make, without end."""
    while True:
        name, text = chance.choice(sources())
        start = text
        changes: list[Change] = []
        for _ in range(chance.randrange(1, most)):
            changes.append(random_change(chance, text))
            it = changes[-1]
            # Half a line end cannot be addressed in the protocol; an editor would replace it whole.
            text = text[: it.start] + it.new + text[it.end :]
        yield name, start, changes


def made_small(name: str, text: str, changes: list[Change]) -> list[Change]:
    """As few of the changes as still show a difference."""
    for size in (len(changes) // 2, len(changes) // 4, 1):
        index = 0
        while size and index < len(changes):
            fewer = changes[:index] + changes[index + size :]
            if fewer and difference(name, text, fewer):
                changes = fewer
            else:
                index += size
    return changes


def main() -> int:
    """Fuzz until the edits are made or the time is up; 1 when something differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000, help="how many edits to make")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="end after so long at the latest")
    wanted = parser.parse_args()
    made, began = 0, time.monotonic()
    chance = random.Random(wanted.seed)  # noqa: S311  # not for secrets
    for name, text, changes in sequences(chance, 24):
        if difference(name, text, changes):
            few = made_small(name, text, changes)
            print(f"{name}: {text!r}\n{few}\n{difference(name, text, few)}")  # noqa: T201  # what it is for
            return 1
        made += len(changes)
        if made >= wanted.edits or time.monotonic() - began > wanted.seconds:
            break
    print(f"{made} edits in {time.monotonic() - began:.0f} s: no difference")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
