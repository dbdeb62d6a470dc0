"""The first responses come before pygls is loaded, once each, and equal those of the full server."""

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.slow import first_quick
from waza_lsp.server.transport.framing import Frames

EVAL = """\
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: text
    name: polite 😀
    config: {contians: [please]}
  - type: text
    name: a
    name: b
    config: {contains: [x]}
  - type: text
    name: polite 😀
    config: {regex_match: ["(never closed"]}
"""
FOUND = {
    "unknown-key",  # by the schema
    "duplicate-key",  # by the parser
    "glob-without-match",  # by a rule for files
    "duplicate-grader-name",  # by another one
    "invalid-regex",  # by the grader type
}
PULLING = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
    "general": {"positionEncodings": ["utf-16"]},
}


class Wire:
    """A server process and the messages that it has sent."""

    def __init__(self, root: Path, command: list[str]) -> None:
        self.answers = True
        self.refuses = False
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        assert self.process.stdout is not None
        self._frames = Frames(self.process.stdout.fileno())
        self._unread: list[Any] = []
        self.all: list[Any] = []

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        os.write(self.process.stdin.fileno(), b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def until(self, **wanted: Any) -> Any:
        """Return the next message with these members. Requests of the server get a null result."""
        while True:
            while not self._unread:
                assert self._frames.read(), "the server has ended"
                self._unread += [json.loads(it) for it in self._frames.take()]
            message = self._unread.pop(0)
            self.all.append(message)
            if "id" in message and "method" in message and self.answers:
                answer = {"error": {"code": -32601, "message": "no"}} if self.refuses else {"result": None}
                self.send(id=message["id"], **answer)
            if all(message.get(name) == value for name, value in wanted.items()):
                return message


@contextmanager
def wire(root: Path, command: list[str] | None = None) -> Iterator[Wire]:
    it = Wire(root, command or [sys.executable, "-P", "-m", "waza_lsp", "serve"])
    timer = threading.Timer(60, it.process.kill)
    timer.start()
    try:
        yield it
    finally:
        timer.cancel()
        it.process.kill()
        it.process.communicate()


def start(it: Wire, root: Path, capabilities: Any, **options: Any) -> Any:
    params = {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities, **options}
    it.send(id=1, method="initialize", params=params)
    answer = it.until(id=1)
    it.send(method="initialized", params={})
    return answer


def opened(it: Wire, path: Path, text: str = EVAL) -> str:
    path.write_text(text, encoding="utf-8")
    item = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
    it.send(method="textDocument/didOpen", params={"textDocument": item})
    return path.as_uri()


def pulled(it: Wire, uri: str, request: int) -> Any:
    it.send(id=request, method="textDocument/diagnostic", params={"textDocument": {"uri": uri}})
    return it.until(id=request)["result"]


def end(it: Wire) -> None:
    it.send(id=99, method="shutdown")
    it.until(id=99)
    it.send(method="exit")
    assert it.process.wait(10) == 0


@pytest.mark.parametrize(
    "settings", first_quick(["", '[rules]\nunknown-key = "warning"\n', 'exclude = ["eval.yaml"]\n'])
)
def test_pulled_findings_are_those_of_the_server(settings: str, tmp_path: Path) -> None:
    if settings:
        (tmp_path / ".waza-lsp.toml").write_text(settings, encoding="utf-8")
    path = tmp_path / "eval.yaml"
    with wire(tmp_path) as it:
        start(it, tmp_path, PULLING)
        early = pulled(it, opened(it, path), 2)
        end(it)
    with wire(tmp_path) as it:
        # What is not plain is left to pygls, and so is all that follows.
        start(it, tmp_path, PULLING, initializationOptions={"beside": ["nothing"]})
        late = pulled(it, opened(it, path), 2)
        end(it)
    codes = {item["code"] for item in early["items"]}
    assert codes == set() if "exclude" in settings else codes >= FOUND
    assert early["items"] == late["items"]


@pytest.mark.parametrize(
    "client", first_quick([PULLING, {"textDocument": {"diagnostic": {}}}, {}, {"window": {}}], 3)
)
@pytest.mark.parametrize("beside", first_quick([[], ["nothing"]]))
def test_the_first_list_is_complete(client: Any, beside: list[str], tmp_path: Path) -> None:
    """Also with `beside`, which leaves everything to pygls."""
    with wire(tmp_path) as it:
        start(it, tmp_path, client, initializationOptions={"beside": beside})
        uri = opened(it, tmp_path / "eval.yaml")
        if "textDocument" in client:
            items = pulled(it, uri, 2)["items"]
        else:
            items = it.until(method="textDocument/publishDiagnostics")["params"]["diagnostics"]
        end(it)
    assert {item["code"] for item in items} >= FOUND


_SLOW = """
import time
from waza_lsp.features import diagnostics
from waza_lsp.server.startup import early_progress, main
early_progress._PATIENCE_SECONDS = 0.01
check = diagnostics.diagnostics_json
def check_slowly(*arguments):
    time.sleep({seconds})
    return check(*arguments)
diagnostics.diagnostics_json = check_slowly
main.serve_stdio()
"""


def _messages(it: Wire, method: str) -> list[Any]:
    return [message["params"] for message in it.all if message.get("method") == method]


@pytest.mark.parametrize("client", [PULLING, {}])
@pytest.mark.slow
def test_a_slow_first_check_shows_its_progress(client: Any, tmp_path: Path) -> None:
    with wire(tmp_path, [sys.executable, "-P", "-c", _SLOW.format(seconds=0.5)]) as it:
        start(it, tmp_path, client | {"window": {"workDoneProgress": True}})
        uri = opened(it, tmp_path / "eval.yaml")
        if client:
            it.send(id=2, method="textDocument/diagnostic", params={"textDocument": {"uri": uri}})
        [token] = [it.until(method="window/workDoneProgress/create")["params"]["token"]]
        # The request after the response must not be lost.
        it.send(id=3, method="textDocument/documentSymbol", params={"textDocument": {"uri": uri}})
        found = it.until(id=2)["result"]["items"] if client else None
        if found is None:
            found = it.until(method="textDocument/publishDiagnostics")["params"]["diagnostics"]
        assert {item["code"] for item in found} >= FOUND
        assert it.until(id=3)["result"]
        end(it)
    shown = [(each["token"], each["value"]) for each in _messages(it, "$/progress")]
    assert shown == [(token, {"kind": "begin", "title": "Checking eval.yaml"}), (token, {"kind": "end"})]


@pytest.mark.slow
def test_a_client_that_gives_a_token_is_not_asked(tmp_path: Path) -> None:
    with wire(tmp_path, [sys.executable, "-P", "-c", _SLOW.format(seconds=0.2)]) as it:
        start(it, tmp_path, PULLING | {"window": {"workDoneProgress": True}})
        document = {"textDocument": {"uri": opened(it, tmp_path / "eval.yaml")}, "workDoneToken": "mine"}
        it.send(id=2, method="textDocument/diagnostic", params=document)
        it.until(id=2)
        end(it)
    assert [each["token"] for each in _messages(it, "$/progress")] == ["mine", "mine"]
    assert not _messages(it, "window/workDoneProgress/create")


@pytest.mark.parametrize("seconds", [0.05, 0.5])
@pytest.mark.slow
def test_a_client_that_answers_late_or_declines_sees_no_progress(seconds: float, tmp_path: Path) -> None:
    with wire(tmp_path, [sys.executable, "-P", "-c", _SLOW.format(seconds=seconds)]) as it:
        it.refuses = seconds > 0.1
        it.answers = it.refuses
        start(it, tmp_path, PULLING | {"window": {"workDoneProgress": True}})
        found = pulled(it, opened(it, tmp_path / "eval.yaml"), 2)
        it.answers = True
        for message in _messages(it, "window/workDoneProgress/create"):
            it.send(id=message["token"], result=None)
        end(it)
    assert found["items"]
    assert not _messages(it, "$/progress")


@pytest.mark.slow
def test_a_quick_check_shows_no_progress(tmp_path: Path) -> None:
    code = "from waza_lsp.server.startup import early_progress, main; early_progress._PATIENCE_SECONDS = 60; main.serve_stdio()"
    with wire(tmp_path, [sys.executable, "-P", "-c", code]) as it:
        start(it, tmp_path, PULLING | {"window": {"workDoneProgress": True}})
        assert pulled(it, opened(it, tmp_path / "eval.yaml"), 2)["items"]
        end(it)
    assert not _messages(it, "$/progress")
    assert not _messages(it, "window/workDoneProgress/create")


@pytest.mark.slow
def test_the_progress_of_a_report_on_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    with wire(tmp_path) as it:
        start(it, tmp_path, PULLING)
        it.send(
            id=2, method="workspace/diagnostic", params={"previousResultIds": [], "workDoneToken": "mine"}
        )
        it.until(id=2)
        end(it)
    shown = [(each["token"], each["value"]["kind"]) for each in _messages(it, "$/progress")]
    assert shown == [("mine", "begin"), ("mine", "end")]


def test_the_first_report_on_the_workspace_is_complete(tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    with wire(tmp_path) as it:
        start(it, tmp_path, PULLING)
        it.send(id=2, method="workspace/diagnostic", params={"previousResultIds": []})
        [report] = it.until(id=2)["result"]["items"]
        end(it)
    assert {item["code"] for item in report["items"]} >= FOUND


def test_each_request_is_answered_once_and_all_goes_on(tmp_path: Path) -> None:
    with wire(tmp_path) as it:
        start(it, tmp_path, PULLING)
        uri = opened(it, tmp_path / "eval.yaml")
        assert pulled(it, uri, 2)["kind"] == "full"
        it.send(
            id=3,
            method="textDocument/hover",
            params={"textDocument": {"uri": uri}, "position": {"line": 9, "character": 5}},
        )
        assert "text" in json.dumps(it.until(id=3)["result"])
        edit = {
            "range": {"start": {"line": 11, "character": 13}, "end": {"line": 11, "character": 21}},
            "text": "contains",
        }
        it.send(
            method="textDocument/didChange",
            params={"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]},
        )
        assert "unknown-key" not in {item["code"] for item in pulled(it, uri, 4)["items"]}
        end(it)
    answers = [message["id"] for message in it.all if "method" not in message]
    assert sorted(answers) == [1, 2, 3, 4, 99]


@pytest.mark.slow
def test_what_was_published_is_not_published_again(tmp_path: Path) -> None:
    with wire(tmp_path) as it:
        answer = start(it, tmp_path, {})
        assert "diagnosticProvider" not in answer["result"]["capabilities"]
        uri = opened(it, tmp_path / "eval.yaml")
        first = it.until(method="textDocument/publishDiagnostics")
        assert first["params"]["uri"] == uri
        assert first["params"]["version"] == 1
        it.send(id=2, method="textDocument/documentSymbol", params={"textDocument": {"uri": uri}})
        it.until(id=2)
        it.send(id=3, method="textDocument/documentSymbol", params={"textDocument": {"uri": uri}})
        it.until(id=3)
        end(it)
    sent = [
        message["params"] for message in it.all if message.get("method") == "textDocument/publishDiagnostics"
    ]
    assert all(one != other for one, other in itertools.pairwise(sent))


@pytest.mark.parametrize("first", first_quick([b"{", b"[]", b'{"jsonrpc":"2.0","id":0,"method":"shutdown"}']))
def test_a_strange_beginning_ends_nothing(first: bytes, tmp_path: Path) -> None:
    with wire(tmp_path) as it:
        assert it.process.stdin is not None
        os.write(it.process.stdin.fileno(), b"Content-Length: %d\r\n\r\n%s" % (len(first), first))
        if b"shutdown" in first:
            it.until(id=0)
        else:
            start(it, tmp_path, PULLING)
            assert pulled(it, opened(it, tmp_path / "eval.yaml"), 2)["items"]
            end(it)


def test_the_input_may_end_at_once(tmp_path: Path) -> None:
    with wire(tmp_path) as it:
        assert it.process.stdin is not None
        it.process.stdin.close()
        it.process.stdin = None
        assert it.process.wait(20) == 0


def test_the_library_is_not_imported_early() -> None:
    code = (
        "import sys; from waza_lsp.server.startup.main import _NOT_AT_FIRST;"
        "from waza_lsp.lazy_import import import_lazily, skip_pydantic_plugins; skip_pydantic_plugins();"
        "[import_lazily(it) for it in (*_NOT_AT_FIRST, 'lsprotocol.types')];"
        "from waza_lsp.features.diagnostics import diagnostics_json;"
        "from waza_lsp.features.pull_diagnostics import document_report;"
        "from waza_engine.analysis.pipeline import CheckContext; from waza_lsp.snapshot import Snapshot;"
        f"snapshot = Snapshot.of('file:///eval.yaml', {EVAL!r}, 1);"
        "assert len(document_report(diagnostics_json(snapshot, CheckContext()), None)) > 300;"
        "late = 'attrs', 'cattrs', 'pygls', 'jsonschema', 'asyncio', 'tempfile', 'tomllib', 'importlib.metadata';"
        "print([it for it in late if it in sys.modules]);"
        "print([it for it in sys.modules if '.vally.' in it or '.graders.' in it and '.dialects.' in it])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    # Of the dialects only the records, and of the grader types only the one that the document uses.
    used = ["waza_engine.dialects.vally.dialect", "waza_engine.dialects.waza.graders.text"]
    assert done.stdout == f"[]\n{used}\n"


def test_what_nothing_asks_for_takes_no_memory() -> None:
    """OpenSSL takes 4 MB, the rest 5 MB. Both still load on demand."""
    code = (
        "import sys; from waza_lsp.server.startup import main;"
        "[main.import_lazily(it) for it in (*main._NOT_AT_FIRST, *main._NOT_YET, 'lsprotocol.types')];"
        "main._import_asyncio_without_tls(); main._import_protocol(); import waza_lsp.server.build, waza_engine.dialects.waza.graders.json_schema;"
        "unasked = '_ssl', '_hashlib', '_lzma', '_bz2', '_pickle', 'regex._regex', 'jsonschema', 'referencing', 'rpds';"
        "assert [it for it in unasked if it in sys.modules] == [], 'loaded';"
        "import hashlib, ssl, pickle, regex;"
        "assert regex.fullmatch('a+', 'aa') and pickle.loads(pickle.dumps(1)) == 1 and ssl.create_default_context();"
        "assert hashlib.sha256(b'').hexdigest().startswith('e3b0')"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


_EARLY = """
import sys
from waza_lsp.server.startup.early_answers import EarlyAnswers
from waza_lsp.server.transport.framing import Frames
it = EarlyAnswers(Frames(0))
it.run()
print(repr(it.failure), len(it.waiting), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "body",
    first_quick(
        [
            '{"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a.yaml", "version": 1}}}',
            '{"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 1, "version": 1, "text": ""}}}',
            '{"method": "textDocument/didOpen", "params": [1]}',
            '{"method": "textDocument/didOpen"}',
            '{"method": "textDocument/diagnostic", "params": {"textDocument": {"uri": []}}, "id": 2}',
            '{"method": "textDocument/diagnostic", "params": {"textDocument": {"uri": "file:///a.yaml"}}}',
            "[]",
            "{",
        ],
        3,
    ),
)
@pytest.mark.parametrize("client", [PULLING, {"textDocument": 1, "workspace": []}])
def test_messages_that_are_none_are_left_to_the_library(body: str, client: Any) -> None:
    greeting = json.dumps({"id": 1, "method": "initialize", "params": {"capabilities": client}})
    sent = "".join(f"Content-Length: {len(it)}\r\n\r\n{it}" for it in (greeting, body))
    done = subprocess.run(
        [sys.executable, "-c", _EARLY], input=sent.encode(), capture_output=True, check=True
    )
    assert done.stderr.decode().split() == ["None", "2"]
