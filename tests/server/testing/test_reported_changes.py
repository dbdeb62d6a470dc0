"""The tree where the client reports changed files: quick without news, and never stale for long."""

import asyncio
import json
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.results_harness import until
from tests.server.testing.test_parts import EVAL, TASKS_ELSEWHERE, write
from waza_lsp.features import tests as feature
from waza_lsp.runnables.commands import Verdict
from waza_lsp.server.build import build_session
from waza_lsp.server.handlers.notifications import on_change, on_open, on_watched_files
from waza_lsp.server.session import Session
from waza_lsp.server.testing import evals as evals_module
from waza_lsp.server.testing import tree as tree_module
from waza_lsp.server.testing.wire import changes_json
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace import workspace as workspace_module

CHANGED, CREATED = types.FileChangeType.Changed, types.FileChangeType.Created
TASK = "id: {0}\nname: {0}\ninputs: {{prompt: p}}\n"


class Client:
    """A client with a test view that watches files, and the session that serves it, in one process."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session: Session = build_session()
        params: dict[str, Any] = {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        protocol = self.session.client.protocol
        protocol.handle_message(protocol.structure_message(message))
        client = self.session.client
        client.watches_files = client.follows_runs = True
        self.told: list[str] = []
        monkeypatch.setattr(client, "notify", lambda method, _: self.told.append(method))
        self.version = 0

    async def ask(self) -> dict[str, Any]:
        answer = await self.session.tests.changes(self.version)
        self.version = answer["version"]
        found: dict[str, Any] = json.loads(changes_json(answer))
        return found

    async def names(self) -> list[str]:
        """Ask as a client without any version, and return the labels of all tasks."""
        answer = json.loads(changes_json(await self.session.tests.changes(0)))
        self.version = answer["version"]
        return [task["label"] for it in answer["items"] for task in it["children"] if task["kind"] == "task"]

    def report(self, path: Path, kind: types.FileChangeType = CHANGED) -> None:
        changes = [types.FileEvent(path.as_uri(), kind)]
        on_watched_files(self.session, types.DidChangeWatchedFilesParams(changes))


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    for name in ("a", "b"):
        write(tmp_path / name / "eval.yaml", EVAL.format(name, f"{name}-task"))
    return Client(tmp_path, monkeypatch)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the list of the evals whose trees are made from now on."""
    made: list[Path] = []

    def noted(found: Any, files: Any) -> Any:
        made.extend(it.path for it in found)
        return feature.tests(found, files)

    monkeypatch.setattr(evals_module, "tests", noted)
    return made


async def test_without_news_no_file_is_looked_at(trees: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    await trees.ask()
    monkeypatch.setattr(trees.session.tests._evals, "trees", lambda *_, **__: pytest.fail("it looked"))
    answer = await trees.ask()
    assert (answer["items"], answer["changed"], answer["removed"], answer["more"]) == (None, [], [], False)


async def test_a_reported_change_costs_only_the_evals_that_read_the_file(
    trees: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "c" / "eval.yaml", TASKS_ELSEWHERE)
    write(tmp_path / "c" / "tasks" / "x.yaml", TASK.format("x"))
    assert await trees.names() == ["a-task", "b-task", "x"]
    made = counted(monkeypatch)
    write(tmp_path / "c" / "tasks" / "x.yaml", TASK.format("other"))
    trees.report(tmp_path / "c" / "tasks" / "x.yaml")
    assert await trees.names() == ["a-task", "b-task", "other"]
    assert made == [tmp_path / "c" / "eval.yaml"]


async def test_a_reported_file_is_new(trees: Client, tmp_path: Path) -> None:
    await trees.ask()
    write(tmp_path / "new" / "eval.yaml", EVAL.format("new", "n"))
    trees.report(tmp_path / "new" / "eval.yaml", CREATED)
    assert await trees.names() == ["a-task", "b-task", "n"]


async def test_an_edit_is_seen_at_once(trees: Client, tmp_path: Path) -> None:
    await trees.ask()
    path = tmp_path / "a" / "eval.yaml"
    document = types.TextDocumentItem(path.as_uri(), "yaml", 1, path.read_text())
    on_open(trees.session, types.DidOpenTextDocumentParams(document))
    text = types.TextDocumentContentChangeWholeDocument(EVAL.format("a", "edited"))
    version = types.VersionedTextDocumentIdentifier(2, path.as_uri())
    on_change(trees.session, types.DidChangeTextDocumentParams(version, [text]))
    assert await trees.names() == ["edited", "b-task"]


async def test_a_verdict_is_seen_at_once(trees: Client, tmp_path: Path) -> None:
    await trees.ask()
    path = tmp_path / "a" / "eval.yaml"
    texts = {path: Snapshot.of(path.as_uri(), path.read_text())}
    trees.session.ledger.add(path, "a-task", Verdict("run", "passed", 1.0, 1.0), texts)
    verdicts = {it["key"]: it["verdict"]["status"] for it in (await trees.ask())["changed"]}
    eval_, task = path.as_uri(), f"{path.as_uri()}#task:a-task"
    assert verdicts == {eval_: "passed", task: "passed", f"{task}#grader:graders/0": "passed"}
    assert (await trees.ask())["changed"] == []


def rewrite(root: Path) -> None:
    write(root / "a" / "eval.yaml", EVAL.format("a", "unwatched"))


def add(root: Path) -> None:
    write(root / "added" / "eval.yaml", EVAL.format("added", "unwatched"))


@pytest.mark.parametrize("change", [rewrite, add])
async def test_the_client_hears_of_what_it_did_not_report(
    trees: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    await trees.ask()
    change(tmp_path)
    assert (await trees.ask())["changed"] == [], "nobody has reported it yet"
    # As if the last look were long ago.
    monkeypatch.setattr(trees.session.tests, "_looked_at", -100.0)
    await trees.ask()
    await until(lambda: tree_module.CHANGED in trees.told)
    assert "unwatched" in await trees.names()


async def test_nobody_waits_for_a_look(trees: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    await trees.ask()
    looking, go_on = threading.Event(), threading.Event()
    workspace = trees.session.workspace
    listed = workspace.known_yaml_files

    def slowly() -> Any:
        looking.set()
        assert go_on.wait(10)
        return listed()

    monkeypatch.setattr(workspace, "known_yaml_files", slowly)
    monkeypatch.setattr(trees.session.tests, "_looked_at", -100.0)
    await trees.ask()
    assert await asyncio.to_thread(looking.wait, 10)
    answer = await asyncio.wait_for(trees.ask(), 5)
    assert (answer["changed"], answer["more"]) == ([], False)
    go_on.set()
    await until(lambda: trees.session.tests._looking is None)
    assert trees.told == []


async def test_a_client_that_hears_of_nothing_gets_it_with_the_next_answer(
    trees: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees.session.client.follows_runs = False
    await trees.ask()
    rewrite(tmp_path)
    monkeypatch.setattr(trees.session.tests, "_looked_at", -100.0)
    assert "unwatched" in await trees.names()


async def test_results_are_read_once_the_tree_is_whole(
    trees: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[set[Path]] = []
    monkeypatch.setattr(trees.session.tests._reading, "start", lambda evals: wanted.append({*evals}))
    first = await trees.session.tests.changes(0, 1)
    assert (first["more"], wanted) == (True, [])
    rest = await trees.session.tests.changes(first["version"], 1)
    assert (rest["more"], wanted) == (False, [{tmp_path / it / "eval.yaml" for it in "ab"}])


async def test_the_trees_keep_no_text(trees: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[weakref.ref[Snapshot]] = []
    plain = workspace_module._ReadFile.snapshot

    def noted(*arguments: Any) -> Snapshot:
        found = plain(*arguments)
        read.append(weakref.ref(found))
        return found

    monkeypatch.setattr(workspace_module._ReadFile, "snapshot", noted)
    await trees.ask()
    await asyncio.sleep(0)
    assert len(read) == 2
    assert not any(it() for it in read)
