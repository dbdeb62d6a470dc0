"""Delivery of findings to the client: push, pull, changed files, settings."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.forked import SERVER
from tests.server.conftest import make_client, until_found
from tests.server.handlers.test_editing import change, until

EVAL = """\
name: notes
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: [tasks/*.yaml]
"""
TASK = "id: {name}\nname: {name}\ninputs: {{prompt: hi}}\nexpected: {{output_contains: [hi]}}\n"
PARTS = "parts"


class Recorder(LanguageClient):
    """A client that records the server's messages in order."""

    published: list[types.PublishDiagnosticsParams]
    registered: list[types.Registration]
    parts: list[Any]
    offered: types.ServerCapabilities


def make_recorder() -> LanguageClient:
    client = make_client()
    features = client.protocol.fm.features
    recorder: Any = client
    recorder.published, recorder.registered, recorder.parts = [], [], []

    def publish(params: types.PublishDiagnosticsParams) -> None:
        recorder.published.append(params)
        recorder.diagnostics[params.uri] = params.diagnostics

    for method, keep in {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
        types.CLIENT_REGISTER_CAPABILITY: lambda it: recorder.registered.extend(it.registrations),
        types.PROGRESS: lambda it: recorder.parts.append(it.value),
    }.items():
        # These have a handler that would throw away what is asked for here.
        features[method] = keep
    return client


async def _started(
    client: LanguageClient, folder: Path, capabilities: types.ClientCapabilities
) -> types.ServerCapabilities:
    """Start the server on an empty workspace and return its capabilities."""
    (folder / "tasks").mkdir()
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=folder.as_uri(),
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "workspace")],
        )
    )
    return result.capabilities


CONFIG = ClientServerConfig(server_command=SERVER, server_env=dict(os.environ), client_factory=make_recorder)


@pytest_lsp.fixture(config=CONFIG)  # type: ignore[untyped-decorator]  # the library gives it no types
async def pushed(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """A client with pushed diagnostics and file watching."""
    recorder: Any = lsp_client
    recorder.offered = await _started(lsp_client, tmp_path, client_capabilities("visual_studio_code"))
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=CONFIG)  # type: ignore[untyped-decorator]  # the library gives it no types
async def pulling(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """A client that pulls diagnostics and supports refresh, like VS Code."""
    capabilities = client_capabilities("visual_studio_code")
    assert capabilities.text_document is not None
    assert capabilities.workspace is not None
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities()
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    recorder: Any = lsp_client
    recorder.offered = await _started(lsp_client, tmp_path, capabilities)
    yield
    await lsp_client.shutdown_session()


def open_document(client: LanguageClient, path: Path, text: str) -> str:
    item = types.TextDocumentItem(path.as_uri(), "yaml", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return path.as_uri()


def files_changed(
    client: LanguageClient, *paths: Path, how: types.FileChangeType = types.FileChangeType.Changed
) -> None:
    changes = [types.FileEvent(it.as_uri(), how) for it in paths]
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))


def configure(client: LanguageClient, **settings: Any) -> None:
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"waza": settings}))


async def pull(client: LanguageClient, uri: str, previous: str | None = None) -> Any:
    document = types.TextDocumentIdentifier(uri)
    return await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(document, previous_result_id=previous)
    )


async def survey(
    client: LanguageClient, previous: dict[str, str] | None = None, token: str | None = None
) -> Any:
    known = [types.PreviousResultId(uri, value) for uri, value in (previous or {}).items()]
    return await client.workspace_diagnostic_async(
        types.WorkspaceDiagnosticParams(known, partial_result_token=token)
    )


def codes(items: Any) -> list[Any]:
    return [it.code for it in items]


async def test_every_version_is_published_once(pushed: Recorder, tmp_path: Path) -> None:
    (tmp_path / "tasks" / "one.yaml").write_text(TASK.format(name="one"), encoding="utf-8")
    uri = open_document(pushed, tmp_path / "eval.yaml", EVAL + "bad: 1\n")
    await until_found(pushed, uri, 1)
    for version in range(2, 12):
        change(pushed, uri, version, 8, (3, 3), "d")
    await until(lambda: pushed.published[-1].version == 11)
    await asyncio.sleep(0.5)
    versions = [it.version for it in pushed.published]
    assert versions.count(11) == 1
    assert versions == sorted(versions)  # type: ignore[type-var]  # versions of open documents are numbers
    [finding] = pushed.published[-1].diagnostics
    assert finding.message.startswith("Unknown key 'baddddddddddd")


@pytest.mark.slow
async def test_what_was_sent_is_not_sent_again(pushed: Recorder, tmp_path: Path) -> None:
    uri = open_document(pushed, tmp_path / "eval.yaml", EVAL + "bad: 1\n")
    await until_found(pushed, uri, 2)
    await asyncio.sleep(0.5)
    count = len(pushed.published)
    files_changed(pushed, tmp_path / "README.md")
    await asyncio.sleep(0.5)
    assert len(pushed.published) == count
    pushed.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await until(lambda: not pushed.published[-1].diagnostics)


async def test_a_new_file_settles_what_was_found(pushed: Recorder, tmp_path: Path) -> None:
    uri = open_document(pushed, tmp_path / "eval.yaml", EVAL)
    [finding] = await until_found(pushed, uri, 1)
    assert finding.code == "glob-without-match"
    await until(lambda: any(it.method == "workspace/didChangeWatchedFiles" for it in pushed.registered))
    task = tmp_path / "tasks" / "one.yaml"
    task.write_text(TASK.format(name="one"), encoding="utf-8")
    files_changed(pushed, task)
    await until_found(pushed, uri, 0)


@pytest.mark.slow
async def test_the_other_open_documents_follow_when_typing_pauses(pushed: Recorder, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "tasks" / f"{name}.yaml").write_text(TASK.format(name=name), encoding="utf-8")
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    one = open_document(pushed, tmp_path / "tasks" / "one.yaml", TASK.format(name="one"))
    two = open_document(pushed, tmp_path / "tasks" / "two.yaml", TASK.format(name="two"))
    await until_found(pushed, one, 0)
    change(pushed, two, 2, 0, (4, 7), "one")
    await until(lambda: "duplicate-task-id" in codes(pushed.diagnostics.get(one, ())))


async def test_levels_in_the_settings(pushed: Recorder, tmp_path: Path) -> None:
    (tmp_path / "tasks" / "one.yaml").write_text(TASK.format(name="one"), encoding="utf-8")
    uri = open_document(pushed, tmp_path / "eval.yaml", EVAL + "bad: 1\n")
    await until_found(pushed, uri, 1)
    configure(pushed, rules={"unknown-key": "off"})
    await until_found(pushed, uri, 0)
    configure(pushed, rules={"unknown-key": "hint"})
    [finding] = await until_found(pushed, uri, 1)
    assert finding.severity is types.DiagnosticSeverity.Hint
    configure(pushed, rules={"unknwon-key": "off"}, lens={"run": "yes"})
    await until(lambda: len(pushed.messages) >= 2)
    assert "Did you mean 'unknown-key'" in pushed.messages[0].message
    assert pushed.messages[1].message == "Setting waza.lens.run must be true or false; true is used"


async def test_settings_of_the_project(pushed: Recorder, tmp_path: Path) -> None:
    (tmp_path / "tasks" / "one.yaml").write_text(TASK.format(name="one"), encoding="utf-8")
    uri = open_document(pushed, tmp_path / "eval.yaml", EVAL + "bad: 1\n")
    await until_found(pushed, uri, 1)
    settings = tmp_path / ".waza-lsp.toml"
    settings.write_text("rules = {unknown-key = 'off'}\n", encoding="utf-8")
    files_changed(pushed, settings)
    await until_found(pushed, uri, 0)
    settings.write_text("rules = {unknown-key = 'loud'}\n", encoding="utf-8")
    files_changed(pushed, settings)
    await until_found(pushed, uri, 1)
    [told] = await until_found(pushed, settings.as_uri(), 1)
    assert (told.code, told.severity) == ("invalid-settings", types.DiagnosticSeverity.Warning)
    assert "'loud' is not a level" in told.message
    assert (told.range.start, told.range.end) == (types.Position(0, 9), types.Position(0, 20))
    settings.write_text("rules = {", encoding="utf-8")
    files_changed(pushed, settings)
    await until(lambda: "cannot be read" in pushed.diagnostics[settings.as_uri()][0].message)
    [told] = pushed.diagnostics[settings.as_uri()]
    assert told.severity == types.DiagnosticSeverity.Error
    settings.write_text("exclude = ['eval.yaml']\n", encoding="utf-8")
    files_changed(pushed, settings)
    await until_found(pushed, uri, 0)
    await until_found(pushed, settings.as_uri(), 0)
    assert not pushed.messages
    settings.write_text("rul = 1\n", encoding="utf-8")
    files_changed(pushed, settings)
    await until_found(pushed, settings.as_uri(), 1)
    settings.unlink()
    files_changed(pushed, settings)
    await until_found(pushed, settings.as_uri(), 0)


async def test_a_client_that_pulls_is_sent_nothing(pulling: Recorder, tmp_path: Path) -> None:
    (tmp_path / "tasks" / "one.yaml").write_text(TASK.format(name="one"), encoding="utf-8")
    uri = open_document(pulling, tmp_path / "eval.yaml", EVAL + "bad: 1\n")
    full = await pull(pulling, uri)
    assert (full.kind, codes(full.items)) == ("full", ["unknown-key"])
    same = await pull(pulling, uri, full.result_id)
    assert (same.kind, same.result_id) == ("unchanged", full.result_id)
    change(pulling, uri, 2, 8, (0, 6), "")
    after = await pull(pulling, uri, full.result_id)
    assert (after.kind, list(after.items)) == ("full", [])
    assert pulling.published == []


async def test_pulling_is_offered_to_those_who_can(pulling: Recorder) -> None:
    offered = pulling.offered.diagnostic_provider
    assert isinstance(offered, types.DiagnosticOptions)
    assert (offered.inter_file_dependencies, offered.workspace_diagnostics) == (True, True)


async def test_pulling_is_offered_to_no_others(pushed: Recorder) -> None:
    assert pushed.offered.diagnostic_provider is None


async def test_a_document_that_is_not_open_has_an_empty_report(pulling: Recorder, tmp_path: Path) -> None:
    report = await pull(pulling, (tmp_path / "nowhere.yaml").as_uri())
    assert list(report.items) == []


async def test_the_whole_workspace(pulling: Recorder, tmp_path: Path) -> None:
    good, bad = tmp_path / "tasks" / "good.yaml", tmp_path / "tasks" / "bad.yaml"
    good.write_text(TASK.format(name="good"), encoding="utf-8")
    bad.write_text(TASK.format(name="bad") + "gradres: []\n", encoding="utf-8")
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "compose.yaml").write_text("services: {web: {image: x}}\n", encoding="utf-8")
    open_document(pulling, good, TASK.format(name="good") + "tag: [a]\n")
    report = await survey(pulling)
    found = {it.uri: it for it in report.items}
    assert set(found) == {it.as_uri() for it in (good, bad, tmp_path / "eval.yaml")}
    assert codes(found[bad.as_uri()].items) == ["unknown-key"]
    assert codes(found[good.as_uri()].items) == ["unknown-key"]
    assert (found[good.as_uri()].version, found[bad.as_uri()].version) == (1, None)

    known = {uri: it.result_id for uri, it in found.items()}
    again = await survey(pulling, known)
    assert {it.kind for it in again.items} == {"unchanged"}

    write_and_tell = {
        good: TASK.format(name="good"),
        bad: TASK.format(name="bad") + "wrong: 1\nwrong_too: 1\n",
    }
    for path, text in write_and_tell.items():
        path.write_text(text, encoding="utf-8")
    files_changed(pulling, *write_and_tell)
    saved = {it.uri: it for it in (await survey(pulling, known)).items}
    assert codes(saved[bad.as_uri()].items) == ["unknown-key", "unknown-key"]

    # The eval's glob sees the new folder although nobody has told of the folder.
    (tmp_path / "eval.yaml").write_text(EVAL.replace("tasks/", "more/"), encoding="utf-8")
    files_changed(pulling, tmp_path / "eval.yaml")
    evals = {it.uri: it for it in (await survey(pulling)).items}[(tmp_path / "eval.yaml").as_uri()]
    assert codes(evals.items) == ["glob-without-match"]
    new = tmp_path / "more" / "new.yaml"
    new.parent.mkdir()
    new.write_text(TASK.format(name="new"), encoding="utf-8")
    files_changed(pulling, new, how=types.FileChangeType.Created)
    evals = {it.uri: it for it in (await survey(pulling)).items}[(tmp_path / "eval.yaml").as_uri()]
    assert codes(evals.items) == []

    bad.unlink()
    files_changed(pulling, bad, how=types.FileChangeType.Deleted)
    third = {it.uri: it for it in (await survey(pulling, known)).items}
    assert (third[bad.as_uri()].kind, list(third[bad.as_uri()].items)) == ("full", [])


@pytest.mark.slow
async def test_the_workspace_after_what_was_not_saved(pulling: Recorder, tmp_path: Path) -> None:
    one, two = tmp_path / "tasks" / "one.yaml", tmp_path / "tasks" / "two.yaml"
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    for path in (one, two):
        path.write_text(TASK.format(name=path.stem), encoding="utf-8")

    async def found() -> dict[str, list[Any]]:
        return {Path(it.uri).name: codes(it.items) for it in (await survey(pulling)).items if it.items}

    await until(lambda: any(it.method == "workspace/didChangeWatchedFiles" for it in pulling.registered))
    assert await found() == {}
    uri = open_document(pulling, two, TASK.format(name="two") + "bad: 1\n")
    assert await found() == {"two.yaml": ["unknown-key"]}
    change(pulling, uri, 2, 0, (4, 7), "one")
    async with asyncio.timeout(60):
        while True:
            now = await found()
            if "one.yaml" in now:
                break
            await asyncio.sleep(0.1)
    assert now["one.yaml"] == ["duplicate-task-id"]
    pulling.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert await found() == {}


@pytest.mark.slow
async def test_the_workspace_comes_in_parts(pulling: Recorder, tmp_path: Path) -> None:
    for index in range(120):
        path = tmp_path / "tasks" / f"t{index}.yaml"
        path.write_text(TASK.format(name=f"t{index}"), encoding="utf-8")
    report = await survey(pulling, token=PARTS)
    assert list(report.items) == []
    assert [len(it["items"]) for it in pulling.parts] == [50, 50, 20]


@pytest.mark.slow
async def test_a_cancelled_survey_gives_way(pulling: Recorder, tmp_path: Path) -> None:
    for index in range(400):
        path = tmp_path / "tasks" / f"t{index}.yaml"
        path.write_text(TASK.format(name=f"t{index}"), encoding="utf-8")
    uri = open_document(pulling, tmp_path / "eval.yaml", EVAL)
    params = types.WorkspaceDiagnosticParams([], partial_result_token=PARTS)
    asked = asyncio.wrap_future(pulling.workspace_diagnostic(params))
    await until(lambda: bool(pulling.parts))
    # Other requests are answered meanwhile.
    assert (await pull(pulling, uri)).kind == "full"
    [message_id] = [key for key, it in pulling.protocol._request_futures.items() if not it.done()]
    pulling.cancel_request(types.CancelParams(message_id))
    with pytest.raises(Exception, match="is canceled"):
        await asked
    parts = len(pulling.parts)
    await asyncio.sleep(0.3)
    assert len(pulling.parts) == parts < 8


async def test_the_workspace_can_be_left_out(pulling: Recorder, tmp_path: Path) -> None:
    path = tmp_path / "tasks" / "one.yaml"
    path.write_text(TASK.format(name="one"), encoding="utf-8")
    configure(pulling, diagnostics={"workspace": False})
    report = await survey(pulling, {path.as_uri(): "known"})
    assert [(it.uri, it.kind, list(it.items)) for it in report.items] == [(path.as_uri(), "full", [])]


@pytest.mark.slow
async def test_related_places_and_tags(pushed: Recorder, tmp_path: Path) -> None:
    text = EVAL.replace("tasks:", "name: again  # waza-lsp: ignore[wrong-type]\ntasks:")
    uri = open_document(pushed, tmp_path / "eval.yaml", text)
    found = {it.code: it for it in await until_found(pushed, uri, 3)}
    [related] = found["duplicate-key"].related_information or ()
    assert (related.message, related.location.uri) == ("First here", uri)
    assert related.location.range.start == types.Position(0, 0)
    assert list(found["unused-suppression"].tags or ()) == [types.DiagnosticTag.Unnecessary]
    assert json.dumps(str(found["duplicate-key"].code_description)).count("duplicate-key.md") == 1
