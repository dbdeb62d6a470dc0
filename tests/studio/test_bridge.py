"""A page's socket and its language server."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.studio.conftest import SOCKET
from waza_engine.lib.process.child import start_child
from waza_lsp.studio import bridge
from waza_lsp.studio.bridge import completed, refused
from waza_lsp.studio.session import StudioSession


class Page:
    """A page at its socket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.notes: list[dict[str, Any]] = []

    def send(self, method: str, params: Any, id_: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.socket.send_text(json.dumps(message if id_ is None else {**message, "id": id_}))

    def request(self, id_: int, method: str, params: Any) -> dict[str, Any]:
        """Send a request, and return its answer. Other messages are noted."""
        self.send(method, params, id_)
        while "id" not in (found := json.loads(self.socket.receive_text())) or "method" in found:
            self.notes.append(found)
        return dict(found)


def _connected(browser: TestClient) -> Any:
    return browser.websocket_connect(SOCKET)


def _code_of_end(socket: Any) -> int:
    """Return the code with which the server closes a socket."""
    try:
        while True:
            socket.receive_text()
    except WebSocketDisconnect as error:
        return error.code


@pytest.mark.slow
def test_the_page_speaks_to_the_server_but_does_not_decide_its_trust(
    browser: TestClient, session: StudioSession
) -> None:
    """The page's `initialize` raises no trust, opens no other folder, and names no path outside of the folder."""
    eval_file, outside = session.folder / "eval.yaml", session.folder.parent / "other.yaml"
    eval_file.write_text(
        "nmae: a\nskill: b\nconfig: {executor: mock}\ntasks:\n  - id: one\n    inputs: {prompt: Hi}\n",
        "utf-8",
    )
    outside.write_text(eval_file.read_text(), "utf-8")
    with _connected(browser) as socket:
        page = Page(socket)
        capabilities: dict[str, Any] = {"window": {"showMessage": {}}}
        options = {"trusted": True, "runEvents": True}
        answer = page.request(
            1,
            "initialize",
            {
                "rootUri": "file:///",
                "workspaceFolders": [{"uri": "file:///", "name": "/"}],
                "processId": 1,
                "capabilities": capabilities,
                "initializationOptions": options,
            },
        )
        assert answer["result"]["serverInfo"]["name"] == "waza-lsp"
        page.send("initialized", {})
        document = {
            "uri": eval_file.as_uri(),
            "languageId": "yaml",
            "version": 1,
            "text": eval_file.read_text(),
        }
        page.send("textDocument/didOpen", {"textDocument": document})
        lenses = page.request(2, "textDocument/codeLens", {"textDocument": {"uri": eval_file.as_uri()}})
        assert lenses["result"][0]["command"]["command"] == "waza.runEval"
        # Not trusted, whatever the page has said: nothing runs.
        ran = page.request(
            3,
            "workspace/executeCommand",
            {"command": "waza.runEval", "arguments": [{"uri": eval_file.as_uri()}]},
        )
        assert ran["result"] is None
        assert any("not trusted" in str(it) for it in page.notes)
        assert any("nmae" in str(it) for it in page.notes), "findings are pushed"
        for place in (outside.as_uri(), "file:///etc/passwd", (session.folder / "../other.yaml").as_uri()):
            refused = page.request(
                4, "workspace/executeCommand", {"command": "waza.runEval", "arguments": [{"uri": place}]}
            )
            assert refused["error"]["message"].startswith("This path is outside")
        exported = page.request(
            5,
            "workspace/executeCommand",
            {"command": "waza.exportSchemas", "arguments": [{"directory": "../schemas"}]},
        )
        assert "error" in exported
        assert not (session.folder.parent / "schemas").exists()
        # Trust ends the connection; the next one is trusted.
        assert browser.post("/api/trust", json={}).json() == {"trusted": True}
        assert _code_of_end(socket) == 4403
    with _connected(browser) as socket:
        page = Page(socket)
        page.request(1, "initialize", {"capabilities": {}, "initializationOptions": {"trusted": False}})
        page.send("initialized", {})
        ran = page.request(
            2,
            "workspace/executeCommand",
            {"command": "waza.runEval", "arguments": [{"uri": eval_file.as_uri()}]},
        )
        assert ran["result"]["runId"] or ran["result"]["error"]
        assert page.request(3, "shutdown", None)["result"] is None
        page.send("exit", None)
        assert _code_of_end(socket) == 1000


def test_trust_that_begins_while_the_server_starts_counts(
    browser: TestClient, session: StudioSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def trusting(_: list[str], **options: Any) -> Any:
        session.trust()
        return await start_child(["cat"], **options)

    monkeypatch.setattr(bridge, "start_child", trusting)
    with _connected(browser) as socket:
        socket.send_text('{"id": 1, "method": "initialize"}')
        told = json.loads(socket.receive_text())
        socket.send_text("[]")
        assert _code_of_end(socket) == 1003
    assert told["params"]["initializationOptions"]["trusted"] is True


def test_what_is_no_message_closes_the_socket(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MAX_MESSAGE_BYTES", 1_000)
    deep = json.dumps({"params": 0}).replace("0", "[" * 200 + "]" * 200)
    for text, code in {"[]": 1003, "{": 1003, "1": 1003, '"a"': 1003, deep: 1003, "x" * 1_001: 1009}.items():
        with _connected(browser) as socket:
            socket.send_text(text)
            assert _code_of_end(socket) == code, text[:20]


def test_sockets_are_counted(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MAX_SOCKETS", 1)
    with _connected(browser), _connected(browser) as second:
        assert _code_of_end(second) == 1013
    with _connected(browser) as third:
        third.send_text("[]")
        assert _code_of_end(third) == 1003


@pytest.mark.parametrize(
    "place",
    [
        *[
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "file:/etc/passwd",
            "file://host/etc/passwd",
            "file:///",
        ],
        *[
            " file:///etc/passwd",
            "file\t:///etc/passwd",
            "file:///%00",
            "file:///\0",
            "file:///\ud800",
            "http://[",
        ],
        *[
            "{folder}/../other.yaml",
            "{folder}/%2e%2e/other.yaml",
            "{folder}%2f..%2fother.yaml",
            "{folder}-2/other.yaml",
        ],
        "{folder}/out/other.yaml",
        *["{folder}/.git/hooks/a", "{folder}/sub/.GIT", "{folder}/git/hooks/a"],
    ],
)
def test_no_form_of_an_address_leads_out_of_the_folder_or_to_git(session: StudioSession, place: str) -> None:
    (session.folder / "out").symlink_to("..")
    (session.folder / "git").symlink_to(".git")
    address = place.replace("{folder}", session.folder.as_uri())
    for params in (
        {"uri": address},
        {"textDocument": {"uri": address}},
        {"arguments": [{"files": [{"newUri": address}]}]},
    ):
        answer = refused({"id": 7, "method": "a", "params": params}, session.folder)
        assert answer is not None
        assert json.loads(answer)["id"] == 7
        assert refused({"method": "a", "params": params}, session.folder) == ""


@pytest.mark.parametrize("directory", ["..", "/etc", "a/../../b", "out/b", ".git/hooks", "git/a"])
def test_no_directory_of_a_command_leads_there(session: StudioSession, directory: str) -> None:
    (session.folder / "out").symlink_to("..")
    (session.folder / "git").symlink_to(".git")
    params = {"command": "waza.exportSchemas", "arguments": [{"directory": directory}]}
    assert refused({"method": "a", "params": params}, session.folder) == ""


def test_addresses_in_the_folder_and_of_no_file_pass(session: StudioSession) -> None:
    for address in (session.folder.as_uri(), f"{session.folder.as_uri()}/new%20file.yaml", "untitled:1", ""):
        assert refused({"method": "a", "params": {"uri": address}}, session.folder) is None
    assert refused({"id": 1, "result": None}, session.folder) is None


_FORMS: list[Any] = [
    *[None, [], "a", {}],
    {"initializationOptions": "a"},
    {"initializationOptions": {"trusted": True}},
]


@pytest.mark.parametrize("params", _FORMS)
def test_initialize_is_completed_whatever_its_form(session: StudioSession, params: Any) -> None:
    found = completed({"method": "initialize", "params": params}, session)["params"]
    assert found["initializationOptions"]["trusted"] is False
    assert found["rootUri"] == session.folder.as_uri()
    assert Path(found["rootPath"]) == session.folder
