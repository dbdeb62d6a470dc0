"""Random messages of an editor: documents opened, edited, saved and closed; every request there is, sensible and not."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol.converters import get_converter

from tests.fuzz.changes import Edit, after, event, random_edit, undone
from tests.fuzz.made_files import made_file
from tests.fuzz.wire_line import Line, Message

_MOST_OPEN = 5
_to_json = get_converter().unstructure
COMMANDS = (
    *("waza.runTask", "waza.runEval", "waza.runFailed", "waza.grade", "waza.explainGrader", "waza.cancelRun"),
    *(
        "waza.clearResults",
        "waza.runSkill",
        "waza.showReport",
        "waza.showAudit",
        "waza.showTrace",
        "waza.addCheck",
        "waza.exportSchemas",
        "waza.convert",
        "waza.upgradeWorkspace",
        "waza.keepCounterExample",
        "waza.unheardOf",
    ),
)


class Author:
    """Somebody at an editor. `texts` are the open documents by address, as the editor has them."""

    def __init__(self, line: Line, root: Path, chance: random.Random, encoding: str) -> None:
        self.texts: dict[str, str] = {}
        self._line = line
        self._root = root
        self._chance = chance
        self._encoding = encoding
        self._versions: dict[str, int] = {}
        self._last: dict[str, tuple[str, Edit]] = {}
        self._files = sorted(it for it in root.rglob("*.y*ml"))
        self._others = [it.read_text(encoding="utf-8") for it in self._files]
        self._asked: list[Any] = []

    def act(self) -> None:
        """Send one message, or the few that belong together."""
        acts = (
            [self._change] * 8
            + [self._ask] * 10
            + [self._cancel, self._open, self._close, self._save, self._misplaced]
        )
        self._chance.choice(acts if self.texts else [self._open])()

    def _open(self) -> None:
        chance = self._chance
        if len(self.texts) >= _MOST_OPEN:
            return self._close()
        if chance.random() < 0.6:
            path = chance.choice(self._files)
            text = path.read_bytes().decode("utf-8") if path.exists() else ""
        else:
            name, text = made_file(chance)
            path = self._root / f"made-{chance.randrange(3)}" / name
        uri = path.as_uri()
        if uri in self.texts:
            return None
        self.texts[uri], self._versions[uri] = text, self._versions.get(uri, 0) + 1
        item = {"uri": uri, "languageId": "yaml", "version": self._versions[uri], "text": text}
        self._line.tell("textDocument/didOpen", {"textDocument": item})
        return None

    def _close(self) -> None:
        uri = self._any_uri()
        del self.texts[uri]
        self._last.pop(uri, None)
        self._line.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _save(self) -> None:
        """Write the file, and tell of it as an editor that watches does."""
        uri = self._any_uri()
        path = _path(uri)
        if path in self._files:
            path.write_bytes(self.texts[uri].encode("utf-8"))
            self._line.tell("textDocument/didSave", {"textDocument": {"uri": uri}})
            self._line.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})

    def _change(self) -> None:
        chance, uri = self._chance, self._any_uri()
        text = before = self.texts[uri]
        if uri in self._last and chance.random() < 0.1:
            edit = undone(*self._last[uri])
        else:
            edit = random_edit(chance, text, self._others)
        changes = []
        for it in edit:
            sent = _to_json(event(text, it, self._encoding))
            changes.append(sent)
            if not it.is_whole and it.end >= len(text) and chance.random() < 0.5:
                sent["range"]["end"]["line"] += 1000  # Beyond the end means the end.
            text = after(text, it)
        self._last[uri] = before, edit
        self.texts[uri] = text
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self._line.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _misplaced(self) -> None:
        """Notifications about what is not open, and about what nobody knows."""
        document = {"uri": (self._root / "unheard-of.yaml").as_uri(), "version": 3}
        change = {"range": _range(0, 0, 1, 0), "text": "x"}
        messages: list[tuple[str, Message]] = [
            ("textDocument/didChange", {"textDocument": document, "contentChanges": [change]}),
            ("textDocument/didClose", {"textDocument": document}),
            ("textDocument/didSave", {"textDocument": document}),
            ("workspace/didChangeConfiguration", {"settings": None}),
            ("workspace/didChangeConfiguration", {"settings": {"waza": {}}}),
            ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "untitled:x", "type": 1}]}),
            ("$/setTrace", {"value": "off"}),
            ("$/unheardOf", {"a": 1}),
            ("textDocument/didChange", {"textDocument": document}),
            ("textDocument/didOpen", {"textDocument": {"uri": 3}}),
            ("$/cancelRequest", {"id": "nobody-sent-this"}),
        ]
        self._line.tell(*self._chance.choice(messages))

    def _ask(self) -> None:
        method = self._chance.choice(list(REQUESTS))
        is_ill = self._chance.random() < 0.03
        self._asked.append(
            self._line.send(method, self._chance.choice(_ILL_FORMED) if is_ill else REQUESTS[method](self))
        )
        if is_ill:
            self._line.ill_formed.add(self._asked[-1])
        if self._chance.random() < 0.05:
            self._line.cancel(self._asked[-1])

    def _cancel(self) -> None:
        """Take back one of the last requests, answered or not."""
        if self._asked:
            self._line.cancel(self._chance.choice(self._asked[-5:]))

    def _any_uri(self) -> str:
        return self._chance.choice(list(self.texts))

    def document(self) -> Message:
        """A document to ask about, mostly one that is open."""
        chance = self._chance
        if chance.random() < 0.05:
            return {
                "textDocument": {
                    "uri": chance.choice(("untitled:1", "file:///nowhere/x.yaml", "http://a/b", "%"))
                }
            }
        return {"textDocument": {"uri": self._any_uri()}}

    def place(self) -> Message:
        """A document and a position in it, or wherever."""
        found = self.document()
        return {**found, "position": self._position(found["textDocument"]["uri"])}

    def stretch(self) -> Message:
        """A document and a range in it, or wherever."""
        found = self.document()
        ends = [self._position(found["textDocument"]["uri"]) for _ in range(2)]
        first, last = sorted(ends, key=lambda it: (it["line"], it["character"]))
        return {**found, "range": {"start": first, "end": last}}

    def _position(self, uri: str) -> Message:
        chance, text = self._chance, self.texts.get(uri, "")
        if chance.random() < 0.1:
            line, character = (chance.choice((0, 1, 7, 80, 10_000, 2**31 - 1)) for _ in range(2))
            return {"line": line, "character": character}
        lines = text.split("\n")
        line = chance.randrange(len(lines))
        return {"line": line, "character": chance.randrange(len(lines[line]) + 2)}

    def diagnostics(self) -> Message:
        """A range with what was published there: for code actions."""
        found = self.stretch()
        told = self._line.published.get(found["textDocument"]["uri"], {}).get("diagnostics", [])
        if told and self._chance.random() < 0.8:
            it = self._chance.choice(told)
            return {**found, "range": it["range"], "context": {"diagnostics": [it]}}
        only = self._chance.choice(
            ({}, {"only": ["quickfix"]}, {"only": ["source.fixAll.waza"]}, {"only": ["refactor"]})
        )
        return {**found, "context": {"diagnostics": [], **only}}

    def item(self) -> Message:
        """A completion item that was offered."""
        for number in reversed(self._asked):
            if self._line.sent[number] == "textDocument/completion":
                answers = self._line.answers.get(number)
                items = ((answers[0].get("result") or {}).get("items") if answers else None) or ()
                if items:
                    return dict(self._chance.choice(items))
        return {"label": "x", "data": {"strange": 1}}

    def command(self) -> Message:
        """A command, with what it wants or something else."""
        chance = self._chance
        name = chance.choice(COMMANDS)
        uri = self.document()["textDocument"]["uri"]
        target = {"to": chance.choice(("waza", "vally", "x")), "directory": str(self._root / "out")}
        good = {"uri": uri, "task": "a", "pointer": ["graders", 0], "runId": "x", "token": "t", **target}
        bad: list[Any] = [[], [None], [{}], ["x", 1], [{"uri": 3, "tasks": {}, "pointer": [{}]}]]
        return {"command": name, "arguments": [good] if chance.random() < 0.7 else chance.choice(bad)}

    def word(self) -> str:
        return self._chance.choice(("", "x", "a b", "renamed", "é😀", "{{.Input}}", "'", "\n", "x: y"))


def _moved(it: Author) -> Message:
    old = it.document()["textDocument"]["uri"]
    return {"files": [{"oldUri": old, "newUri": old.replace("eval", "other")}]}


REQUESTS: dict[str, Callable[[Author], Any]] = {
    "textDocument/hover": Author.place,
    "textDocument/completion": Author.place,
    "completionItem/resolve": Author.item,
    "textDocument/definition": Author.place,
    "textDocument/references": lambda it: {**it.place(), "context": {"includeDeclaration": True}},
    "textDocument/prepareRename": Author.place,
    "textDocument/rename": lambda it: {**it.place(), "newName": it.word()},
    "workspace/willRenameFiles": _moved,
    "workspace/symbol": lambda it: {"query": it.word()},
    "textDocument/linkedEditingRange": Author.place,
    "textDocument/inlayHint": Author.stretch,
    "textDocument/semanticTokens/full": Author.document,
    "textDocument/semanticTokens/range": Author.stretch,
    "textDocument/documentHighlight": Author.place,
    "textDocument/documentLink": Author.document,
    "textDocument/documentSymbol": Author.document,
    "textDocument/foldingRange": Author.document,
    "textDocument/selectionRange": lambda it: _several(it.place()),
    "textDocument/codeLens": Author.document,
    "textDocument/codeAction": Author.diagnostics,
    "textDocument/diagnostic": Author.document,
    "workspace/diagnostic": lambda _: {"previousResultIds": []},
    "textDocument/formatting": lambda it: {**it.document(), "options": _LAYOUT},
    "textDocument/rangeFormatting": lambda it: {**it.stretch(), "options": _LAYOUT},
    "textDocument/onTypeFormatting": lambda it: {**it.place(), "ch": "\n", "options": _LAYOUT},
    "workspace/executeCommand": Author.command,
    "waza/tests": lambda it: {"uri": it.document()["textDocument"]["uri"]},
    "waza/document": lambda it: {"uri": it.document()["textDocument"]["uri"]},
    "waza/runs": lambda it: {"uri": it.document()["textDocument"]["uri"], "before": it.word(), "limit": 3},
    "waza/starters": lambda it: {"name": it.word()},
    "waza/mcp": lambda _: {},
    "waza/unheardOf": lambda it: {"a": it.word()},
}
"""Every request that the server has, and one that it has not."""
_LAYOUT: Message = {"tabSize": 2, "insertSpaces": True}
_ILL_FORMED: tuple[Any, ...] = (
    None,
    {},
    [],
    "x",
    7,
    {"textDocument": 3},
    {"textDocument": {"uri": None}},
    {"a": [{}]},
)


def _several(place: Message) -> Message:
    return {
        "textDocument": place["textDocument"],
        "positions": [place["position"], {"line": 0, "character": 0}],
    }


def _range(*numbers: int) -> Message:
    first, start, last, end = numbers
    return {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}


def _path(uri: str) -> Path:
    from urllib.parse import unquote, urlsplit

    return Path(unquote(urlsplit(uri).path))
