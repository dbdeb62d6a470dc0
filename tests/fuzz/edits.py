"""Random edits on real and made-up files: after them everything equals what a fresh open of the texts shows.

As a program it goes on for as long as it is told: `python -m tests.fuzz.edits --edits 1000000 --seed 1`. What it finds
it makes small, and prints as a test would need it.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz.changes import ENCODINGS, Edit, after, event, random_edit, undone
from tests.fuzz.made_files import made_file
from tests.lenses import code_lens
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.files.vfs import Files
from waza_engine.model.findings import Scope
from waza_lsp.features.diagnostics import DiagnosticJsonCache, diagnostics_json
from waza_lsp.features.document_symbol import document_symbol_json
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.piece import clear_cache

EXAMPLES = Path(__file__).parents[2] / "examples"
NOWHERE = Path("/nowhere/evals")


@dataclass(frozen=True, slots=True)
class Case:
    """Files that are open at first, by their paths, and what is done to them one after another."""

    encoding: str
    texts: dict[Path, str]
    edits: Sequence[tuple[Path, Edit]]

    def size(self) -> int:
        """How many changes there are."""
        return sum(len(it) for _, it in self.edits)


class Desk:
    """Open documents as the server has them: snapshots, and files that are read through them."""

    def __init__(self, encoding: str, texts: dict[Path, str]) -> None:
        self._encoding = encoding
        self.texts = texts
        self.open = {it: Snapshot.of(it.as_uri(), text, 1, encoding) for it, text in texts.items()}
        self._written: dict[Path, DiagnosticJsonCache] = {}
        self._files = Files(lambda path: str(self.open[path].text) if path in self.open else None)

    def edit(self, path: Path, edit: Edit) -> None:
        """Make the changes of one notification, and hold the text against what it must be now."""
        text, events = self.texts[path], []
        for it in edit:
            events.append(event(text, it, self._encoding))
            text = after(text, it)
        before = self.open[path]
        self.open[path] = before.with_changes(events, (before.version or 0) + 1)
        self.texts[path] = text
        assert str(self.open[path].text) == text, "the text"

    def diagnostics(self, path: Path) -> list[str]:
        """What a client gets to know of a document."""
        world = CheckContext(path, Scope(path.parent, path.parent), self._files)
        return diagnostics_json(self.open[path], world, self._written.setdefault(path, {}))

    def seen(self, path: Path) -> dict[str, Any]:
        """Everything that is compared of a document, as a client gets it."""
        it = self.open[path]
        return {
            "kind": it.form and (it.form.dialect, it.form.kind),
            "diagnostics": self.diagnostics(path),
            "symbols": document_symbol_json(it),
            "lenses": [str(lens) for lens in code_lens(it)],
            "data": repr(it.tree.data()),
            "pieces": [(piece.kind.value, piece.start, piece.end) for piece in it.tree.pieces],
        }


def difference(case: Case) -> str:
    """What is wrong after the edits, empty when nothing is."""
    try:
        return _difference(case)
    except Exception as error:  # noqa: BLE001  # a crash is what is looked for
        return repr(error)


def _difference(case: Case) -> str:
    desk = Desk(case.encoding, dict(case.texts))
    for path in case.texts:
        desk.seen(path)
    for path, edit in case.edits:
        desk.edit(path, edit)
        desk.diagnostics(path)  # so that what is remembered with the pieces counts
    edited = {it: desk.seen(it) for it in desk.open}
    clear_cache()
    fresh = Desk(case.encoding, dict(desk.texts))
    for path, one in edited.items():
        other = fresh.seen(path)
        for it in one:
            if one[it] != other[it]:
                return f"{path} {it}:\n  edited {one[it]}\n  fresh  {other[it]}"
    return ""


@cache
def _examples() -> list[dict[Path, str]]:
    """The example suites, each with all of its files."""
    return [
        {it: it.read_text(encoding="utf-8") for it in sorted(folder.rglob("*.y*ml"))}
        for folder in sorted(EXAMPLES.iterdir())
        if folder.is_dir()
    ]


def _opened(chance: random.Random) -> dict[Path, str]:
    """What is open at first: a made-up file, one of an example, or several of one suite."""
    if chance.random() < 0.5:
        name, text = made_file(chance)
        return {NOWHERE / name: text}
    suite = chance.choice(_examples())
    texts = dict(chance.sample(sorted(suite.items()), k=min(len(suite), chance.choice((1, 1, 1, 2, 4)))))
    if chance.random() < 0.3:
        texts = {it: text.replace("\n", "\r\n") for it, text in texts.items()}
    return texts if chance.random() < 0.95 else dict.fromkeys(texts, "")


def cases(chance: random.Random, most: int) -> Iterator[Case]:
    """Files with edits to make, without end."""
    while True:
        texts = _opened(chance)
        yield Case(chance.choice(ENCODINGS), texts, _edits(chance, dict(texts), chance.randrange(1, most)))


def _edits(chance: random.Random, now: dict[Path, str], count: int) -> list[tuple[Path, Edit]]:
    others = [text for suite in _examples() for text in suite.values()]
    before: dict[Path, tuple[str, Edit]] = {}
    done: list[tuple[Path, Edit]] = []
    for _ in range(count):
        path = chance.choice(list(now))
        if path in before and chance.random() < 0.15:
            edit = undone(*before[path])
        else:
            edit = random_edit(chance, now[path], others)
        done.append((path, edit))
        before[path] = now[path], edit
        for it in edit:
            now[path] = after(now[path], it)
    return done


def made_small(case: Case) -> Case:
    """As few of the edits as still show a difference."""
    edits = list(case.edits)
    size = len(edits) // 2
    while size:
        index = 0
        while index < len(edits):
            fewer = Case(case.encoding, case.texts, edits[:index] + edits[index + size :])
            if difference(fewer):
                edits = list(fewer.edits)
            else:
                index += size
        size //= 2
    return Case(case.encoding, case.texts, edits)


def main() -> int:
    """Fuzz until the edits are made or the time is up; 1 when something differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000, help="how many changes to make")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="end after so long at the latest")
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    wanted = parser.parse_args()
    made: Counter[str] = Counter()
    began, said = time.monotonic(), 0
    chance = random.Random(wanted.seed)  # noqa: S311  # not for secrets
    for case in cases(chance, 60):
        if found := difference(case):
            few = made_small(case)
            print(f"{few}\n{difference(few) or found}", flush=True)  # noqa: T201  # what it is for
            made["differences"] += 1
            if not wanted.all:
                break
        made.update(notifications=len(case.edits), changes=case.size(), cases=1)
        made[case.encoding] += case.size()
        if made["changes"] // 20_000 > said:
            said = made["changes"] // 20_000
            print(_told(wanted.seed, began, made), flush=True)  # noqa: T201
        if made["changes"] >= wanted.edits or time.monotonic() - began > wanted.seconds:
            break
    print(_told(wanted.seed, began, made))  # noqa: T201
    return 1 if made["differences"] else 0


def _told(seed: int, began: float, made: Counter[str]) -> str:
    return f"seed {seed}, {time.monotonic() - began:.0f} s: {dict(made)}"


if __name__ == "__main__":
    sys.exit(main())
