"""`workspace/symbol` where the client reports changed files: quick without news, and never stale for long."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.results_harness import until
from tests.server.testing.test_parts import EVAL, write
from waza_lsp.features.workspace_symbol import symbols_of
from waza_lsp.server import workspace_symbols
from waza_lsp.server.build import build_session
from waza_lsp.server.handlers.notifications import on_change, on_open, on_watched_files
from waza_lsp.server.session import Session
from waza_lsp.workspace.workspace import WorkspaceFiles


@pytest.fixture
def session(tmp_path: Path) -> Session:
    for name in ("a", "b"):
        write(tmp_path / name / "eval.yaml", EVAL.format(name, f"{name}-task"))
    found = build_session()
    params: dict[str, Any] = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    protocol = found.client.protocol
    protocol.handle_message(protocol.structure_message(message))
    found.client.watches_files = True
    return found


async def names(session: Session, query: str = "task") -> list[str]:
    return [it["name"] for it in json.loads((await session.symbols.find(query)).text)]


def report(session: Session, path: Path, kind: types.FileChangeType) -> None:
    changes = [types.FileEvent(path.as_uri(), kind)]
    on_watched_files(session, types.DidChangeWatchedFilesParams(changes))


async def test_only_reported_files_are_read_again(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await names(session) == ["a-task", "b-task"]
    read: list[Path] = []

    def noted(path: Path, files: WorkspaceFiles) -> object:
        read.append(path)
        return symbols_of(path, files)

    monkeypatch.setattr(workspace_symbols, "symbols_of", noted)
    assert await names(session) == ["a-task", "b-task"]
    assert read == []
    path = tmp_path / "a" / "eval.yaml"
    write(path, EVAL.format("a", "other-task"))
    report(session, path, types.FileChangeType.Changed)
    assert await names(session) == ["other-task", "b-task"]
    assert read == [path]


async def test_files_come_and_go(session: Session, tmp_path: Path) -> None:
    await names(session)
    new, old = tmp_path / "c" / "eval.yaml", tmp_path / "a" / "eval.yaml"
    write(new, EVAL.format("c", "c-task"))
    report(session, new, types.FileChangeType.Created)
    assert await names(session) == ["a-task", "b-task", "c-task"]
    old.unlink()
    report(session, old, types.FileChangeType.Deleted)
    assert await names(session) == ["b-task", "c-task"]


async def test_an_edit_is_found_at_once(session: Session, tmp_path: Path) -> None:
    await names(session)
    path = tmp_path / "a" / "eval.yaml"
    document = types.TextDocumentItem(path.as_uri(), "yaml", 1, path.read_text())
    on_open(session, types.DidOpenTextDocumentParams(document))
    text = types.TextDocumentContentChangeWholeDocument(EVAL.format("a", "edited-task"))
    version = types.VersionedTextDocumentIdentifier(2, path.as_uri())
    on_change(session, types.DidChangeTextDocumentParams(version, [text]))
    assert await names(session) == ["edited-task", "b-task"]


def rewrite(root: Path) -> None:
    write(root / "a" / "eval.yaml", EVAL.format("a", "unwatched-task"))


def add(root: Path) -> None:
    write(root / "added" / "eval.yaml", EVAL.format("added", "unwatched-task"))


@pytest.mark.parametrize("change", [rewrite, add])
async def test_what_nobody_reports_is_found_in_the_next_pause(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    await names(session)
    change(tmp_path)
    # As if the last look were long ago.
    monkeypatch.setattr(session.symbols, "_looked_at", -100.0)
    assert await names(session) == ["a-task", "b-task"]
    await until(lambda: session.symbols._looking is None)
    assert "unwatched-task" in await names(session)


async def test_without_reports_each_request_looks(session: Session, tmp_path: Path) -> None:
    session.client.watches_files = False
    await names(session)
    rewrite(tmp_path)
    assert await names(session) == ["unwatched-task", "b-task"]


async def test_a_report_during_a_look_wins(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await names(session)
    path, symbols = tmp_path / "a" / "eval.yaml", session.symbols

    def slow(read: Path, files: WorkspaceFiles) -> object:
        found = symbols_of(read, files)
        if read == path:
            monkeypatch.undo()
            write(path, EVAL.format("a", "newest-task"))
            report(session, path, types.FileChangeType.Changed)
            symbols._find("", threading.Event())
        return found

    monkeypatch.setattr(workspace_symbols, "symbols_of", slow)
    symbols._read_known_again()
    assert await names(session) == ["newest-task", "b-task"]
