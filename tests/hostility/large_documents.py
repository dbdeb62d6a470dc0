"""Documents that are too large, too deep, too much, or no text: what each surface says of them, and what it needs.

`python -m tests.hostility.large_documents [--size 10000000] [--depth 100000] [NAME ...]` measures the real sizes: CPU seconds
and peak memory of `check`, `run`, `grade` and of a server that opens, edits and is asked. The tests use smaller ones.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.wire_line import Line, peak_memory

HEAD = "name: n\nskill: s\nconfig: {}\n"


def _laughs(opening: str, closing: str, one: str) -> str:
    lines = [f"a0: &a0 {opening}{', '.join([one] * 9)}{closing}"]
    lines += [f"a{n}: &a{n} {opening}{', '.join([f'*a{n - 1}'] * 9)}{closing}" for n in range(1, 10)]
    return "\n".join(lines) + f"\n{HEAD}tasks: *a9\n"


def _merges() -> str:
    lines = ["x0: &x0 {a: 1}"]
    lines += [f"x{n}: &x{n} {{<<: [*x{n - 1}, *x{n - 1}], k{n}: *x{n - 1}}}" for n in range(1, 40)]
    return "\n".join(lines) + "\nname: n\nskill: s\nconfig: *x39\ntasks: [t.yaml]\n"


def _filled(line: str, size: int) -> str:
    return line * max(1, size // len(line.encode()))


def _numbered(line: str, size: int) -> str:
    count = max(1, size // len(line.replace("#", str(size // len(line)))))
    return "".join(line.replace("#", str(n)) for n in range(count))


def _nested_blocks(size: int) -> str:
    deep = int((2 * size) ** 0.5)
    return "".join(" " * (n + 1) + "a:\n" for n in range(deep))


BOMBS: dict[str, str] = {
    "laughs": _laughs("[", "]", "x"),
    "laughs in mappings": _laughs("{p: [", "]}", "x"),
    "merge keys that double": _merges(),
    "an alias of itself": "name: n\nskill: s\nconfig: &c {mcp_servers: *c}\ntasks: &t [*t]\n",
    "a merge key of itself": "name: n\nskill: s\nconfig: &c {<<: *c}\ntasks: [a.yaml]\n",
}
"""Small files that stand for more than there is memory."""

LARGE: dict[str, Callable[[int], str]] = {
    "one line": lambda n: f"{HEAD}tasks: ['{'x' * n}']\n",
    "one word": lambda n: "x" * n,
    "one key": lambda n: f"{HEAD}tasks: []\n{'k' * n}: v\n",
    "many keys": lambda n: f"{HEAD}tasks: []\n" + _numbered("key#: v\n", n),
    "many equal keys": lambda n: f"{HEAD}" + _filled("tasks: []\n", n),
    "many tasks": lambda n: f"{HEAD}tasks:\n" + _numbered("  - tasks/task-#.yaml\n", n),
    "many graders": lambda n: (
        f"{HEAD}tasks: [t.yaml]\ngraders:\n"
        + _numbered("  - type: text\n    name: g#\n    config:\n      contains: [a]\n", n)
    ),
    "many wrong graders": lambda n: (
        f"{HEAD}tasks: [t.yaml]\ngraders:\n" + _numbered("  - tpye: text\n    nam: g#\n", n)
    ),
    "a long flow list": lambda n: f"{HEAD}tasks: [{_filled('a, ', n)}a]\n",
    "a block scalar": lambda n: f"{HEAD}tasks: []\ndescription: |\n" + _filled("  a line of text\n", n),
    "a quoted scalar": lambda n: (
        f'{HEAD}tasks: []\ndescription: "' + _filled("  a line of text\n", n) + '"\n'
    ),
    "an open quote": lambda n: f'{HEAD}tasks: []\ndescription: "' + _filled("  a line of text\n", n),
    "many open quotes": lambda n: f"{HEAD}tasks: []\n" + _numbered('k#: "\n', n),
    "many open brackets": lambda n: f"{HEAD}tasks:\n" + _filled("  - [\n", n),
    "comments": lambda n: HEAD + _filled("# remark\n", n) + "tasks: []\n",
    "blank lines": lambda n: HEAD + "\n" * n + "tasks: []\n",
    "strange line ends": lambda n: f"{HEAD}tasks: []\ntags:\n" + _filled("  - a\u2028\n", n),
    "carriage returns": lambda n: HEAD.replace("\n", "\r") + _filled("# remark\r", n) + "tasks: []\r",
    "templates": lambda n: f"{HEAD}tasks:\n" + _filled("  - {{a}}\n", n),
    "placeholders": lambda n: f"{HEAD}tasks:\n" + _filled("  - ${A}{\n", n),
    "anchors": lambda n: f"{HEAD}tasks:\n" + _numbered("  - &a# x\n", n),
    "aliases": lambda n: f"{HEAD}tasks:\n  - &a x\n" + _filled("  - *a\n", n),
    "unknown aliases": lambda n: f"{HEAD}tasks:\n" + _filled("  - *b\n", n),
    "tags": lambda n: f"{HEAD}tasks:\n" + _filled("  - !a b\n", n),
    "documents": lambda n: HEAD + "tasks: []\n" + _filled("---\na: b\n", n),
    "stray words": lambda n: HEAD + "tasks: []\n" + _filled("word\n", n),
    "astral characters": lambda n: f"{HEAD}tasks: ['{_filled('😀', n)}']\n",
    "a long pattern": lambda n: (
        f"{HEAD}tasks: []\ngraders:\n  - type: text\n    name: g\n    config:\n"
        f"      regex_match: ['{_filled('(a|b)', n)}']\n"
    ),
    "a long number": lambda n: f"{HEAD}tasks: []\nversion: 1{'0' * n}\n",
}
"""Files of so many bytes."""

DEEP: dict[str, Callable[[int], str]] = {
    "sequences": lambda n: f"{HEAD}tasks: {'[' * n}{']' * n}\n",
    "open sequences": lambda n: f"{HEAD}tasks: {'[' * n}\n",
    "mappings": lambda n: f"name: n\nskill: s\nconfig: {'{a: ' * n}1{'}' * n}\ntasks: []\n",
    "open mappings": lambda n: f"name: n\nskill: s\nconfig: {'{a: ' * n}\ntasks: []\n",
    "mixed": lambda n: f"{HEAD}tasks: {'[{a: ' * (n // 2)}1{'}]' * (n // 2)}\n",
    "dashes": lambda n: f"{HEAD}tasks:\n  {'- ' * n}a\n",
    "question marks": lambda n: f"{HEAD}tasks: []\n{'? ' * n}a\n",
    "question marks and dashes": lambda n: f"{HEAD}tasks: []\n{'? - ' * (n // 2)}a\n",
    "blocks": lambda n: f"name: n\nskill: s\nconfig:\n{_nested_blocks(20 * n)}tasks: []\n",
    "sequences at the top": lambda n: "[" * n,
    "dashes at the top": lambda n: "- " * n + "a\n",
    "lines of sequences": lambda n: f"{HEAD}tasks: " + "[\n " * n + "\n",
}
"""Files with so many levels; nested blocks need the square of it, and have fewer."""

RAW: dict[str, bytes] = {
    "NUL bytes": b"name: n\x00\nskill: s\nconfig: {}\ntasks: [\x00]\n",
    "only NUL bytes": b"\x00" * 1000,
    "a lone surrogate": b"name: \xed\xa0\x80\nskill: s\nconfig: {}\ntasks: []\n",
    "an escaped surrogate": b'name: "\\ud800"\nskill: s\nconfig: {}\ntasks: []\n',
    "control characters": b"name: \x1b]0;owned\x07\nskill: \x01\nconfig: {}\ntasks: []\n",
    "a byte-order mark": "\ufeffname: n\nskill: s\nconfig: {}\ntasks: [t.yaml]\n".encode(),
    "a byte-order mark inside": "name: n\nskill: s\nconfig: {}\ntasks: [t.yaml]\n\ufeff\n".encode(),
    "UTF-16": f"\ufeff{HEAD}tasks: [t.yaml]\n".encode("utf-16-le"),
    "UTF-16, the other way round": f"\ufeff{HEAD}tasks: [t.yaml]\n".encode("utf-16-be"),
    "UTF-16 without a mark": f"{HEAD}tasks: [t.yaml]\n".encode("utf-16-le"),
    "UTF-32": f"\ufeff{HEAD}tasks: [t.yaml]\n".encode("utf-32-le"),
    "Latin-1": f"{HEAD}tasks: [t.yaml]\ndescription: caf\xe9\n".encode("latin-1"),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
}
"""Files that are no text, or a text with what no text has."""


class Needs(NamedTuple):
    """What a process needed: CPU seconds, peak memory in MB; its status, and what it said."""

    seconds: float
    memory: float
    status: int
    said: str


def needs_of(folder: Path, *arguments: str, most_seconds: float = 600) -> Needs:
    """Run the command line in a folder."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "waza_lsp", *arguments],
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        began, memory = time.monotonic(), 0.0
        while True:
            memory = max(memory, peak_memory(process.pid))
            done, status, used = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() - began > most_seconds:
                process.kill()
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read().decode("utf-8", "replace")
    return Needs(used.ru_utime + used.ru_stime, memory, process.returncode, said)


def served(folder: Path, text: str) -> dict[str, float]:
    """Seconds that a server works for each thing that an editor wants of a document; and its peak memory in MB."""
    line = Line(folder, folder / ".scratch", {}, {})
    try:
        return _served(line, folder, text)
    finally:
        line.kill()


def _served(line: Line, folder: Path, text: str) -> dict[str, float]:
    line.tell("initialized", {})
    line.ask("waza/document", {"uri": "untitled:x"})
    uri = (folder / "eval.yaml").as_uri()
    found: dict[str, float] = {}

    def timed(name: str, act: Callable[[], object]) -> None:
        began = line.seconds()
        act()
        found[name] = line.seconds() - began

    def opened() -> None:
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        line.tell("textDocument/didOpen", {"textDocument": item})
        line.wait_for(lambda: uri in line.published, "findings")

    def edited() -> None:
        zero = {"line": 0, "character": 0}
        change = {"range": {"start": zero, "end": zero}, "text": "# a\n"}
        document = {"uri": uri, "version": 2}
        line.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        line.wait_for(lambda: line.published[uri].get("version") == 2, "findings after an edit")

    timed("open", opened)
    timed("edit", edited)
    last = text.count("\n")
    place = {"textDocument": {"uri": uri}, "position": {"line": last // 2, "character": 3}}
    for method in (
        "completion",
        "hover",
        "documentSymbol",
        "codeLens",
        "foldingRange",
        "semanticTokens/full",
    ):
        timed(method, lambda method=method: line.ask(f"textDocument/{method}", place))  # type: ignore[misc]
    found["MB"] = peak_memory(line.process_id)
    found["findings"] = len(line.published[uri]["diagnostics"])
    line.end()
    return found


def _documents(size: int, depth: int) -> dict[str, bytes]:
    found = {name: text.encode() for name, text in BOMBS.items()}
    found |= {f"large: {name}": make(size).encode() for name, make in LARGE.items()}
    found |= {f"deep: {name}": make(depth).encode() for name, make in DEEP.items()}
    return found | {f"raw: {name}": it for name, it in RAW.items()}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000_000)
    parser.add_argument("--depth", type=int, default=100_000)
    parser.add_argument("--only", default="check,run,grade,serve")
    parser.add_argument("names", nargs="*")
    wanted = parser.parse_args()
    for name, data in _documents(wanted.size, wanted.depth).items():
        if wanted.names and not any(it in name for it in wanted.names):
            continue
        with tempfile.TemporaryDirectory() as it:
            folder = Path(it)
            (folder / "eval.yaml").write_bytes(data)
            (folder / "context.json").write_text(json.dumps({"output": "a"}), encoding="utf-8")
            _measure(name, folder, data, wanted.only.split(","))


def _measure(name: str, folder: Path, data: bytes, surfaces: list[str]) -> None:
    commands = {
        "check": ("check", "eval.yaml"),
        "run": ("run", "eval.yaml", "--executor", "mock"),
        "grade": ("grade", "--graders", "eval.yaml", "--context", "context.json"),
    }
    for surface, arguments in commands.items():
        if surface in surfaces:
            it = needs_of(folder, *arguments)
            trace = "TRACEBACK " if "Traceback" in it.said else ""
            said = it.said.strip().replace("\n", " | ")[:150]
            print(  # noqa: T201
                f"{name:34} {surface:6} {it.seconds:6.1f} s {it.memory:6.0f} MB  {it.status} {trace}{said}",
                flush=True,
            )
    if "serve" in surfaces:
        try:
            text = data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return  # No editor would open this.
        figures = ", ".join(f"{key} {value:.1f}" for key, value in served(folder, text).items())
        print(f"{name:34} serve  {figures}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
