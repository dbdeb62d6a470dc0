"""A simulated author of two suites without pauses: edits, lookups, runs, verdicts."""

import itertools
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.editing.client import Editor, Told
from bench.soaking.bad_run import told
from bench.soaking.work import seconds_of_work

FILES = ["code-explainer/eval.yaml", "code-explainer/tasks/explain-retry.yaml", "release-notes/eval.yaml"]
_GRADED, _LINE = FILES[1], "      contains: [jitter]"
_VERDICTS = {"failed-check", "live-verdict"}
_ITEM = """\
  - type: text
    name: says-{number}
    config:
      contains: [{word}-{number}, "{word} {number}"]
      regex_match: ['(?i){word}\\s+{number}']
"""
_LISTS = ("graders:", "stimuli:")
_TYPOS = ["a", "x ", "contains", ": ", "- ", "\n", "type: text", "#", '"', "[", "]", "max", "&a ", "*a"]
_WORDS = ["deploy", "review", "explain", "migrate", "summarise", "package", "audit"]
_OF_FILE = ["codeLens", "documentSymbol", "foldingRange", "documentLink", "semanticTokens/full"]
_CANCELLED = 5
"""One run in this many."""
_SETTLED = 0.35
"""Seconds. Longer than the delay after which the server checks the other documents."""

Times = dict[str, list[float]]
"""Waiting times in milliseconds, by kind."""


@dataclass(slots=True)
class Author:
    """Edits one file after the other. `every` is the number of edits between two lookups, verdicts and runs."""

    editor: Editor
    chance: random.Random
    every: dict[str, int]
    times: Times = field(default_factory=lambda: defaultdict(list))
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    bad_runs: list[str] = field(default_factory=list)
    """Details of runs with an unexpected end."""
    _number: Iterator[int] = field(default_factory=itertools.count)
    _run: tuple[int, float, str] | None = None
    """The current run: its request, start time and name."""
    _cancelled: set[str] = field(default_factory=set)

    def arrive(self) -> None:
        """Open the graded file and wait until the server has loaded its recordings."""
        self._open(_GRADED)
        document = {"textDocument": {"uri": self.editor.uri}}
        while not any(
            it["command"]["command"] == "waza.grade"
            for it in self.editor.answer("textDocument/codeLens", document)
        ):
            time.sleep(0.05)
        self.editor.close()

    def work(self, edits: int) -> None:
        """Make at least this many edits and wait until everything is done."""
        until = self.counts["edits"] + edits
        while self.counts["edits"] < until:
            self._session()
        self._await_run()
        time.sleep(_SETTLED)
        del self.editor.told[:-1]

    def _session(self) -> None:
        """Edit one file from opening to closing: type a grader key by key, make some slips, undo everything."""
        name = self.chance.choice(FILES)
        text = self._open(name)
        number, word = next(self._number), self.chance.choice(_WORDS)
        line = next(index for index, it in enumerate(self.editor.lines) if it in _LISTS) + 1
        self._type(line, _ITEM.format(number=number, word=word))
        for _ in range(8):
            self._slip()
        self._ask_about_file()
        if self.chance.random() < 0.5:
            # Saved, and so seen by whoever watches files.
            self._save(name, text)
            self.editor.notify("textDocument/didSave", {"textDocument": {"uri": self.editor.uri}})
            change = {"uri": self.editor.uri, "type": 2}
            self.editor.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
            time.sleep(_SETTLED)
        self.editor.close()

    def _save(self, name: str, text: str) -> None:
        """Write a file atomically, because a run that starts now must not read a partial file."""
        path = self.editor.root / name
        new = path.with_name(f"{path.name}.new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    def _open(self, name: str) -> str:
        text = (self.editor.root / name).read_text(encoding="utf-8")
        self.editor.name = name
        since = len(self.editor.told)
        self.editor.open(text.removesuffix("\n").split("\n"))
        self.editor.until(lambda _: True, since)
        return text

    def _type(self, line: int, text: str) -> None:
        """Type key by key before a line."""
        self._edit(line, 0, 0, "\n")
        column = 0
        for key in text.removesuffix("\n"):
            self._edit(line, column, column, key)
            line, column = (line + 1, 0) if key == "\n" else (line, column + 1)

    def _slip(self) -> None:
        """Make a slip, wait for its finding, and undo it."""
        lines = self.editor.lines
        line = self.chance.randrange(len(lines))
        column = self.chance.randrange(len(lines[line]) + 1)
        typo = self.chance.choice(_TYPOS)
        self._edit(line, column, column, typo)
        if typo == "\n":
            self._edit(line, column, 0, "", last=line + 1)
        else:
            self._edit(line, column, column + len(typo), "")

    def _edit(self, line: int, start: int, end: int, new: str, last: int | None = None) -> None:
        since, sent = len(self.editor.told), time.perf_counter()
        version = self.editor.edit(line, start, end, new, last)
        told = self.editor.until(lambda it: it.version >= version, since)
        self._took("edit", told.at - sent)
        self.counts["edits"] += 1
        count = self.counts["edits"]
        if count % self.every["lookup"] == 0:
            self._look_up(line, start)
        if count % self.every["run"] == 0:
            self._start_run()
        if count % self.every["run"] == 10:
            self._took("work", seconds_of_work())
        if count % self.every["run"] == 20:
            self._cancel_some()
        if count % self.every["verdict"] == 0:
            self._watch_verdict()

    def _look_up(self, line: int, column: int) -> None:
        editor = self.editor
        place = editor.at(line, min(column, len(editor.lines[line])))
        for request in ("completion", "hover"):
            self._took(request, editor.seconds(f"textDocument/{request}", place))
            self.counts[request] += 1

    def _ask_about_file(self) -> None:
        document = {"textDocument": {"uri": self.editor.uri}}
        for request in _OF_FILE:
            self.editor.answer(f"textDocument/{request}", document)
        last = {"line": len(self.editor.lines), "character": 0}
        span = {"range": {"start": {"line": 0, "character": 0}, "end": last}}
        self.editor.answer("textDocument/inlayHint", document | span)
        self.editor.answer("textDocument/codeAction", document | span | {"context": {"diagnostics": []}})
        self.editor.answer("workspace/symbol", {"query": "explain"})
        self.editor.answer("waza/tests", {"uri": self.editor.uri})

    def _watch_verdict(self) -> None:
        """Change a grader with a recording between two edits of the current file, and wait for its verdict."""
        mine, lines = self.editor.name, self.editor.lines
        self.editor.close()
        self._open(_GRADED)
        line = self.editor.lines.index(_LINE)
        number = next(self._number)
        new = f"j{number}"
        changed = f"      contains: [jitter, {new}]"
        since, sent = len(self.editor.told), time.perf_counter()
        version = self.editor.edit(line, 0, len(_LINE), changed)
        told = self.editor.until(lambda it: it.version >= version and _has_verdict(it, new), since)
        self._took("verdict", told.at - sent)
        self.counts["verdicts"] += 1
        self.editor.edit(line, 0, len(changed), _LINE)
        self.editor.close()
        self.editor.name = mine
        self.editor.open(lines)

    def _start_run(self) -> None:
        self._await_run()
        uri = (self.editor.root / FILES[0]).as_uri()
        token = f"run-{next(self._number)}"
        given = {"command": "waza.runEval", "arguments": [{"uri": uri, "token": token}]}
        request, sent = self.editor.ask("workspace/executeCommand", given)
        self.counts["runs"] += 1
        self._run = request, sent, token

    def _cancel_some(self) -> None:
        if self._run is not None and self.counts["runs"] % _CANCELLED == 0:
            given = {"command": "waza.cancelRun", "arguments": [{"token": self._run[2]}]}
            self._cancelled.add(self._run[2])
            self.editor.answer("workspace/executeCommand", given)

    def _await_run(self) -> None:
        if self._run is not None:
            request, sent, token = self._run
            at, answer = self.editor.result(request)
            self.counts[answer["status"]] += 1
            if answer["status"] == "passed":
                self._took("run", at - sent)
            elif answer["status"] != "cancelled" or token not in self._cancelled:
                self.bad_runs.append(told(self.editor.root, token, answer))
            self._run = None

    def _took(self, what: str, seconds: float) -> None:
        self.times[what].append(1000 * seconds)


def _has_verdict(told: Told, about: str) -> bool:
    """Whether there is a verdict about this text. Until then, the verdict on the previous text is shown."""
    return any(it.get("code") in _VERDICTS and about in it["message"] for it in told.items)


def settings() -> dict[str, Any]:
    """Return the author's settings, which replay agents."""
    return {"waza": {"run": {"executor": "replay"}}}
