"""Documents that are too large, too deep, too much or no text: each surface says what is wrong, soon, and goes on.

These are short forms; `python -m tests.hostility.large_documents` measures the real sizes.
"""

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.edits import Desk
from tests.fuzz.wire_line import Line
from tests.hostility.large_documents import BOMBS, DEEP, HEAD, LARGE, RAW
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite
from waza_lsp.syntax.tree.split import MOST_CHARACTERS

SIZE, DEPTH = 30_000, 100_000
EVAL = Path("/nowhere/evals/eval.yaml")
SECONDS = 60
"""Of work: many times what is needed, and far less than a document takes that is gone through again and again."""
TOO_LARGE = f"{HEAD}tasks: []\n" + "# remark\n" * (MOST_CHARACTERS // 9)
TEXTS = {
    **BOMBS,
    **{f"large: {name}": make(SIZE) for name, make in LARGE.items()},
    **{f"deep: {name}": make(DEPTH) for name, make in DEEP.items() if name != "blocks"},
    "deep: blocks": DEEP["blocks"](2_000),
    "too large": TOO_LARGE,
}
SAID = {
    "laughs": "too many values",
    "merge keys": "too many values",
    "an alias of itself": "would contain itself",
    "a merge key of itself": "would contain itself",
    "too large": "larger than 2 MB",
    "deep: ": "the nesting is too deep",
    "large: an open quote": "quote",
    "large: many equal keys": "Duplicate key",
    "large: stray words": "'word'",
    "large: documents": "Only the first YAML document",
}
"""Beginnings of names, and what must be said of the documents."""


def wanted(name: str) -> str:
    return next((said for start, said in SAID.items() if name.startswith(start)), "")


@pytest.mark.parametrize("name", [it for it in TEXTS if not it.endswith("at the top")])
def test_a_document_is_shown_soon_with_what_is_wrong(name: str) -> None:
    began = time.process_time()
    desk = Desk("utf-16", {EVAL: TEXTS[name]})
    found = [json.loads(it) for it in desk.seen(EVAL)["diagnostics"]]
    assert time.process_time() - began < SECONDS
    assert any(wanted(name) in it["message"] for it in found), found[:3]
    assert len(found) <= 5000
    assert all(len(it["message"]) <= 1000 + 100 for it in found)


def test_a_text_that_grows_too_large_and_shrinks_again_is_followed(tmp_path: Path) -> None:
    line = Line(tmp_path, tmp_path / "scratch", {}, {})
    try:
        uri = (tmp_path / "eval.yaml").as_uri()
        text = f"{HEAD}tasks: []\n"
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        line.tell("textDocument/didOpen", {"textDocument": item})
        growth = "# remark\n" * (MOST_CHARACTERS // 9)
        place = {"line": 4, "character": 0}
        last = {"line": 4 + MOST_CHARACTERS // 9, "character": 0}
        for version, (end, new) in enumerate(((place, growth), (last, "")), start=2):
            change = {"range": {"start": place, "end": end}, "text": new}
            document = {"uri": uri, "version": version}
            line.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            line.wait_for(partial(_has_findings, line, uri, version), "findings")
            messages = [it["message"] for it in line.published[uri]["diagnostics"]]
            assert ("larger than 2 MB" in messages[0]) == bool(new)
    finally:
        line.kill()


def _has_findings(line: Line, uri: str, version: int) -> bool:
    return line.published.get(uri, {}).get("version") == version


@pytest.mark.slow
def test_one_server_bears_all_of_them(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    line = Line(root, tmp_path / "scratch", {}, {})
    try:
        line.tell("initialized", {})
        for number, (name, text) in enumerate(TEXTS.items()):
            _talk(line, (root / f"{number}" / "eval.yaml").as_uri(), text)
            assert not line.notes or "rror in server" not in str(line.notes), name
        for number, text in enumerate(
            (*(it.decode("latin-1") for it in RAW.values()), "name: \ud800\n", "\udc00")
        ):
            _talk(line, (root / f"raw-{number}" / "eval.yaml").as_uri(), text)
        line.end()
    finally:
        line.kill()


def _talk(line: Line, uri: str, text: str) -> None:
    """Open, edit, ask for everything, close."""
    document: dict[str, Any] = {"uri": uri}
    line.tell(
        "textDocument/didOpen",
        {"textDocument": {**document, "languageId": "yaml", "version": 1, "text": text}},
    )
    change = {
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}},
        "text": "a",
    }
    line.tell(
        "textDocument/didChange", {"textDocument": {**document, "version": 2}, "contentChanges": [change]}
    )
    place = {"textDocument": document, "position": {"line": min(text.count("\n"), 4), "character": 9}}
    for method in (
        "completion",
        "hover",
        "documentSymbol",
        "codeLens",
        "foldingRange",
        "semanticTokens/full",
    ):
        line.ask(f"textDocument/{method}", place)
    line.tell("textDocument/didClose", {"textDocument": document})


def _check(folder: Path) -> dict[str, list[str]]:
    """What `check` says of the files below a folder: codes and messages, by the folder that each is in."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "waza_lsp", "check", "--format", "json", "."],
        cwd=folder,
        env={**os.environ},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    found: dict[str, list[str]] = defaultdict(list)
    for it in json.loads(done.stdout)["diagnostics"]:
        found[Path(it["path"]).parent.name].append(f"{it['code']}: {it['message']}")
    return found


def _written(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        place = folder / name.replace(":", "") / "eval.yaml"
        place.parent.mkdir()
        place.write_bytes(data)


def test_check_says_what_is_wrong_with_each(tmp_path: Path) -> None:
    names = [
        *BOMBS,
        *(it for it in TEXTS if it.startswith("deep") and not it.endswith("at the top")),
        "too large",
    ]
    _written(tmp_path, {it: TEXTS[it].encode() for it in names})
    found = _check(tmp_path)
    for name in names:
        said = found[name.replace(":", "")]
        assert any(wanted(name) in it for it in said), (name, said[:3])


NO_TEXT = {
    "NUL bytes": "U+0000",
    "a lone surrogate": "Not UTF-8",
    "an escaped surrogate": "not a whole character",
    "control characters": "U+001B",
    "UTF-16": "Not UTF-8",
    "UTF-16, the other way round": "Not UTF-8",
    "UTF-16 without a mark": "U+0000",
    "UTF-32": "Not UTF-8",
    "Latin-1": "Not UTF-8",
    "a picture": "Not UTF-8",
}


def test_check_says_what_is_wrong_with_what_is_no_text(tmp_path: Path) -> None:
    _written(tmp_path, {it: RAW[it] for it in NO_TEXT})
    for name, said in NO_TEXT.items():
        found = _check_named(tmp_path / name)
        assert any(said in it for it in found), (name, found)


def _check_named(folder: Path) -> list[str]:
    from click.testing import CliRunner

    from waza_lsp.cli import main

    done = CliRunner().invoke(main, ["check", "--format", "json", str(folder / "eval.yaml")])
    return [it["message"] for it in json.loads(done.stdout)["diagnostics"]]


@pytest.mark.parametrize("name", [*TEXTS, *RAW])
def test_the_loader_takes_it_or_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    path.write_bytes(RAW[name] if name in RAW else TEXTS[name].encode())
    began = time.process_time()
    said = ""
    try:
        load_suite(path, process_dir=tmp_path)
    except LoadError as error:
        said = str(error)
    assert len(said) < 2_000
    assert ("larger than 2 MB" in said) == (name == "too large")
    assert time.process_time() - began < SECONDS
