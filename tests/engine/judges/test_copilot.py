"""Tests of the Copilot judge, with a stand-in for the SDK, and with the real CLI if it is installed.

The real one needs the extra `copilot` and `COPILOT_CLI_PATH`; its model is a server on loopback, so it needs neither
a login nor the network.
"""

import gc
import importlib.util
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import pytest

from waza_engine.judges.copilot import CopilotJudge
from waza_engine.judges.votes import VOTE_TOOLS
from waza_engine.model.judge import JudgeCall, JudgeError, JudgeRequest

VOTE = ("set_waza_grade_pass", {"description": "d", "reason": "r"})


class Sdk:
    """A stand-in for the SDK that records requests; `act` plays the agent in each turn."""

    def __init__(self, act: Callable[["Sdk"], Any]) -> None:
        self.act = act
        self.client_options: dict[str, Any] = {}
        self.session_options: dict[str, Any] = {}
        self.log: list[str] = []
        self.note: Callable[[Any], None] = lambda _: None

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        package, tools = ModuleType("copilot"), ModuleType("copilot.tools")
        package.CopilotClient = self._client  # type: ignore[attr-defined]  # built here
        package.PermissionHandler = SimpleNamespace(approve_all="approve all")  # type: ignore[attr-defined]  # built here
        package.RuntimeConnection = SimpleNamespace(for_stdio=lambda path: path)  # type: ignore[attr-defined]  # built here
        tools.Tool = tools.ToolResult = SimpleNamespace  # type: ignore[attr-defined]  # built here
        monkeypatch.setitem(sys.modules, "copilot", package)
        monkeypatch.setitem(sys.modules, "copilot.tools", tools)

    def emit(self, kind: str, **data: Any) -> None:
        self.note(
            SimpleNamespace(type=SimpleNamespace(value=kind), data=SimpleNamespace(to_dict=lambda: data))
        )

    def call(self, name: str, arguments: Any) -> Any:
        [tool] = [it for it in self.session_options["tools"] if it.name == name]
        return tool.handler(SimpleNamespace(arguments=arguments))

    def _client(self, **options: Any) -> Self:
        self.client_options = options
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.log.append("stopped")

    async def create_session(self, **options: Any) -> Self:
        self.session_options = options
        self.session_id = "new"
        return self

    async def resume_session(self, session_id: str, **options: Any) -> Self:
        self.session_options = options
        self.session_id = session_id
        return self

    def on(self, note: Callable[[Any], None]) -> None:
        self.note = note

    async def send_and_wait(self, message: str, timeout: float) -> None:  # noqa: ASYNC109  # the SDK's signature
        self.log.append(message)
        self.act(self)

    async def abort(self) -> None:
        self.log.append("aborted")

    async def disconnect(self) -> None:
        self.log.append("disconnected")

    async def delete_session(self, session_id: str) -> None:
        self.log.append(f"deleted {session_id}")


def test_a_turn_in_a_new_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(sdk: Sdk) -> None:
        assert sdk.call(*VOTE).text_result_for_llm == "Recorded."
        sdk.call("set_waza_grade_fail", "no object")
        sdk.emit("assistant.message", content="done")
        sdk.emit("assistant.usage", inputTokens=9, outputTokens=2, cost=0.5)
        sdk.emit("session.idle")

    sdk = Sdk(act)
    sdk.install(monkeypatch)
    provider = {"type": "openai", "base_url": "http://localhost/v1"}
    judge = CopilotJudge("run-model", "/bin/copilot", provider, {"COPILOT_HOME": "/h"})
    turn = judge.turn(JudgeRequest("judge", VOTE_TOOLS, reasoning_effort="low", workspace_dir="/ws"))
    assert turn.calls == (JudgeCall(*VOTE), JudgeCall("set_waza_grade_fail", unreadable=True))
    assert (turn.text, turn.error) == ("done", "")
    assert turn.usage == {"model": "run-model", "input_tokens": 9, "output_tokens": 2, "cost": 0.5}
    assert sdk.log == ["judge", "disconnected", "deleted new", "stopped"]
    assert sdk.client_options["connection"] == "/bin/copilot"
    assert sdk.client_options["use_logged_in_user"] is False
    options = sdk.session_options
    assert (options["model"], options["reasoning_effort"], options["working_directory"]) == (
        "run-model",
        "low",
        "/ws",
    )
    assert options["enable_skills"] is False
    assert "available_tools" not in options


def test_only_the_given_tools_and_the_agent_s_session(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = Sdk(lambda _: None)
    sdk.install(monkeypatch)
    CopilotJudge().turn(
        JudgeRequest("judge", VOTE_TOOLS, "own-model", session_id="s1", only_these_tools=True)
    )
    assert sdk.session_options["available_tools"] == [
        "custom:set_waza_grade_pass",
        "custom:set_waza_grade_fail",
    ]
    assert sdk.session_options["model"] == "own-model"
    assert "enable_skills" not in sdk.session_options
    assert sdk.log == ["judge", "disconnected", "stopped"]


def test_an_error_event_and_a_timeout_are_errors_of_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(sdk: Sdk) -> None:
        sdk.call(*VOTE)
        sdk.emit("session.error", message="quota")
        raise TimeoutError

    sdk = Sdk(late)
    sdk.install(monkeypatch)
    turn = CopilotJudge().turn(JudgeRequest("judge", VOTE_TOOLS, timeout_seconds=3))
    assert turn.error == "quota; the judge took longer than 3 s"
    assert len(turn.calls) == 1
    assert sdk.log[1:] == ["aborted", "disconnected", "deleted new", "stopped"]


def test_errors_of_the_sdk_keep_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(sdk: Sdk) -> None:
        sdk.call(*VOTE)
        raise RuntimeError("connection lost")

    Sdk(broken).install(monkeypatch)
    with pytest.raises(JudgeError, match="connection lost") as caught:
        CopilotJudge().turn(JudgeRequest("judge", VOTE_TOOLS))
    assert caught.value.calls == (JudgeCall(*VOTE),)


@pytest.mark.parametrize(
    ("text", "reply"), [('{"score": 4}', {"score": 4}), ('```json\n{"a": 1}\n```', {"a": 1})]
)
def test_a_reply_is_decoded(text: str, reply: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Sdk(lambda sdk: sdk.emit("assistant.message", content=text)).install(monkeypatch)
    assert CopilotJudge().reply("rate", "m") == reply


@pytest.mark.parametrize(
    ("kind", "data"), [("assistant.message", {"content": "four"}), ("session.error", {"message": "x"})]
)
def test_a_bad_reply_is_an_error(kind: str, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    Sdk(lambda sdk: sdk.emit(kind, **data)).install(monkeypatch)
    with pytest.raises(JudgeError):
        CopilotJudge().reply("rate")


def test_without_the_sdk_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "copilot", None)
    with pytest.raises(JudgeError, match="pip install github-copilot-sdk=="):
        CopilotJudge().turn(JudgeRequest("judge"))


# The real CLI


class Model:
    """A chat endpoint: the number of assistant messages so far chooses the step of the script."""

    def __init__(self) -> None:
        self.script: list[tuple[str, Any] | str] = []
        self.requests: list[dict[str, Any]] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        done = sum(it["role"] == "assistant" for it in request["messages"])
        step = self.script[min(done, len(self.script) - 1)]
        if isinstance(step, str):
            message: dict[str, Any] = {"role": "assistant", "content": step}
        else:
            function = {"name": step[0], "arguments": json.dumps(step[1])}
            calls = [{"id": f"c{done}", "type": "function", "function": function}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        finish = "stop" if isinstance(step, str) else "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
        return {
            "id": "x",
            "object": "chat.completion",
            "model": "m",
            "created": 1,
            "choices": [choice],
            "usage": usage,
        }


@pytest.fixture(name="real")
def _real(tmp_path: Path) -> Iterator[tuple[CopilotJudge, Model]]:
    cli = os.environ.get("COPILOT_CLI_PATH")
    if not cli or importlib.util.find_spec("copilot") is None:
        pytest.skip("needs the Copilot SDK and COPILOT_CLI_PATH")
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer = model.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    offline = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": url, "COPILOT_MODEL": "m"}
    environment = {**os.environ, **offline, "COPILOT_HOME": str(tmp_path / "home")}
    provider = {"type": "openai", "base_url": url, "api_key": "k", "wire_api": "completions"}
    yield CopilotJudge("m", cli, provider, environment), model
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # the SDK leaves its pipes open
def test_the_real_cli_votes(real: tuple[CopilotJudge, Model], tmp_path: Path) -> None:
    judge, model = real
    model.script = [VOTE, "done"]
    turn = judge.turn(JudgeRequest("judge this", VOTE_TOOLS, workspace_dir=str(tmp_path)))
    assert (turn.calls, turn.text, turn.error) == ((JudgeCall(*VOTE),), "done", "")
    assert turn.usage["input_tokens"] == 20
    assert len(model.requests[0]["tools"]) > 2
    judge.turn(JudgeRequest("judge this", VOTE_TOOLS, only_these_tools=True))
    assert [it["function"]["name"] for it in model.requests[-1]["tools"]] == [it.name for it in VOTE_TOOLS]
    gc.collect()  # the SDK leaves its pipes open: what that warns of belongs to this test


def test_a_judge_is_reminded_in_the_same_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(it: Sdk) -> None:
        if len(it.log) == 3:
            it.call(*VOTE)

    sdk = Sdk(act)
    sdk.install(monkeypatch)
    request = JudgeRequest(
        "judge this",
        tools=VOTE_TOOLS,
        system_message="be fair",
        reminder=lambda calls: "" if calls else "vote!",
    )
    turn = CopilotJudge().turn(request)
    assert [it.tool for it in turn.calls] == ["set_waza_grade_pass"]
    assert sdk.log[:3] == ["judge this", "vote!", "vote!"]
    assert sdk.session_options["system_message"] == {"mode": "append", "content": "be fair"}
