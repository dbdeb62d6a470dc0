"""The real server under random messages: every request is answered once, nothing goes wrong, and it ends as a fresh one begins.

As a program: `python -m tests.fuzz.wire --messages 100000 --seed 1`. A round is one server, a few hundred messages sent
without waiting, and then a second server that opens what is open in the first: what the two show must be the same.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.fuzz.changes import ENCODINGS
from tests.fuzz.wire_line import Line, LineError, Message
from tests.fuzz.wire_messages import Author
from waza_lsp.snapshot import Snapshot

EXAMPLES = Path(__file__).parents[2] / "examples"
_PATIENCE_SECONDS = 30
_OPTIONS = {"trusted": False, "runEvents": True}
"""Nothing is run here: what runs do to a talk is shown elsewhere."""
_OF_EDITED_GRADERS = {"live-verdict", "failed-check"}
"""What a grader says of recorded work is only said of one that was edited."""


def played(seed: int, messages: int) -> Counter[str]:
    """One round; how many messages of which method were sent.

    Raises:
        LineError: the server did what no server may do.

    """
    chance = random.Random(seed)  # noqa: S311  # not for secrets
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "workspace"
        for name in chance.sample(sorted(it.name for it in EXAMPLES.iterdir() if it.is_dir()), k=2):
            shutil.copytree(EXAMPLES / name, root / name)
        encoding, pulls = chance.choice(ENCODINGS), chance.random() < 0.5
        abilities = _abilities(encoding, pulls=pulls, modern=chance.random() < 0.5)
        lines = [Line(root, Path(folder) / "first", abilities, _OPTIONS)]
        try:
            return _round(lines, root, chance, messages, (encoding, abilities, pulls))
        except LineError as error:
            raise LineError(f"seed {seed}, {messages} messages, {encoding}, {pulls=}: {error}") from error
        finally:
            for it in lines:
                it.kill()


def _round(
    lines: list[Line], root: Path, chance: random.Random, messages: int, mode: tuple[str, Message, bool]
) -> Counter[str]:
    encoding, abilities, pulls = mode
    line = lines[0]
    author = Author(line, root, chance, encoding)
    for _ in range(chance.choice((0, 0, 1, 5, 20))):
        author.act()  # Some editors are in a hurry.
    line.tell("initialized", {})
    while line.count < messages:
        for _ in range(chance.choice((1, 1, 3, 10, 40))):
            author.act()
        if chance.random() < 0.5:
            line.settle()
    line.settle()
    lines.append(Line(root, root.parent / "second", abilities, _OPTIONS))
    fresh = lines[1]
    fresh.tell("initialized", {})
    for uri, text in author.texts.items():
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        fresh.tell("textDocument/didOpen", {"textDocument": item})
    for uri, text in author.texts.items():
        _compare(line, fresh, uri, Snapshot.of(uri, text), pulls=pulls)
    for it in lines:
        it.end()
    return Counter(line.sent.values()) + Counter({"messages": line.count, "cancelled": len(line.cancelled)})


def _compare(line: Line, fresh: Line, uri: str, snapshot: Snapshot, *, pulls: bool) -> None:
    """What is shown of a document is the same in both at last: some of it comes when typing pauses, or files are read."""
    _agree(uri, snapshot, lambda it: _findings(it, uri, pulls=pulls), (line, fresh))
    document = {"textDocument": {"uri": uri}}
    for method in ("documentSymbol", "semanticTokens/full", "foldingRange", "documentLink", "codeLens"):
        _agree(uri, snapshot, partial(_asked, method, document), (line, fresh))


def _agree(uri: str, snapshot: Snapshot, shown: Callable[[Line], Any], lines: tuple[Line, Line]) -> None:
    ends = time.monotonic() + _PATIENCE_SECONDS
    while True:
        one, other = (shown(it) for it in lines)
        if one == other:
            return
        if time.monotonic() > ends:
            raise LineError(f"{uri}\n{str(snapshot.text)!r}\nshows {one}\nfresh {other}")
        time.sleep(0.05)


def _asked(method: str, document: Message, line: Line) -> Any:
    return line.ask(f"textDocument/{method}", document)


def _findings(line: Line, uri: str, *, pulls: bool) -> list[Message]:
    if pulls:
        found = line.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}).get("items")
    else:
        found = line.published.get(uri, {}).get("diagnostics")
    return [it for it in found or () if it.get("code") not in _OF_EDITED_GRADERS]


def _abilities(encoding: str, *, pulls: bool, modern: bool) -> Message:
    document: Message = {"synchronization": {"didSave": True}}
    workspace: Message = {"applyEdit": True}
    if pulls:
        document["diagnostic"] = {"dynamicRegistration": False}
        workspace["diagnostics"] = {"refreshSupport": modern}
    if modern:
        document |= {
            "completion": {"completionItem": {"snippetSupport": True}},
            "formatting": {"dynamicRegistration": True},
            "rename": {"prepareSupport": True},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        }
        workspace |= {
            "configuration": True,
            "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "didChangeConfiguration": {"dynamicRegistration": True},
            "codeLens": {"refreshSupport": True},
            "inlayHint": {"refreshSupport": True},
        }
    general = {"positionEncodings": [encoding]}
    return {
        "textDocument": document,
        "workspace": workspace,
        "general": general,
        "window": {"workDoneProgress": modern},
    }


def main() -> int:
    """Play rounds until the messages are sent or the time is up; 1 when something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000, help="how many messages to send")
    parser.add_argument("--round", type=int, default=600, help="how many of them to one server")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="end after so long at the latest")
    parser.add_argument("--all", action="store_true", help="go on after something went wrong")
    wanted = parser.parse_args()
    sent: Counter[str] = Counter()
    began, seed = time.monotonic(), 1000 * wanted.seed
    while sent["messages"] < wanted.messages and time.monotonic() - began < wanted.seconds:
        seed += 1
        try:
            sent += played(seed, wanted.round)
        except LineError as error:
            print(error, flush=True)  # noqa: T201  # what it is for
            sent["wrong"] += 1
            if not wanted.all:
                break
        sent["rounds"] += 1
        if sent["rounds"] % 20 == 0:
            print(f"{time.monotonic() - began:.0f} s: {sent['messages']} messages", flush=True)  # noqa: T201
    print(f"{time.monotonic() - began:.0f} s: {dict(sent)}")  # noqa: T201
    return 1 if sent["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
