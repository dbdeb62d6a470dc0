"""Tests of the judge at an OpenAI-compatible endpoint, with a scripted one on loopback."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from waza_engine.judges.openai import Endpoint, OpenAIJudge
from waza_engine.judges.scales import SCALES
from waza_engine.judges.submit_grade import Grade, request_grade
from waza_engine.judges.votes import VOTE_TOOLS
from waza_engine.model.judge import JudgeCall, JudgeError, JudgeMissing, JudgeRequest, JudgeTurn


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: JSON, or text as it is. `hang` seconds pass first; `cut` ends the connection halfway."""

    body: Any = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    hang: float = 0.0
    cut: bool = False


@dataclass
class Chat:
    """The endpoint: its scripted answers, the requests it got, and the judge's pauses."""

    base_url: str
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def judge(self, *replies: Reply, key: str = "k") -> OpenAIJudge:
        self.replies[:] = replies
        return OpenAIJudge(Endpoint(self.base_url, key, sleep=self.pauses.append), "default-model")

    def turn(self, *replies: Reply, **request: Any) -> JudgeTurn:
        return self.judge(*replies).turn(JudgeRequest("judge this", **{"tools": VOTE_TOOLS, **request}))


@pytest.fixture(name="chat")
def _chat() -> Iterator[Chat]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            chat.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            chat.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = chat.replies[len(chat.requests) - 1]
            time.sleep(reply.hang)
            data = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("Content-Length", str(len(data)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if reply.cut else data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are part of the tests
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    chat = Chat(f"http://127.0.0.1:{server.server_port}/v1/")
    yield chat
    server.shutdown()
    thread.join()
    server.server_close()


def says(content: Any = None, *, finish: str = "stop", usage: Any = None, **message: Any) -> Reply:
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return Reply({"choices": [choice], "usage": usage})


def calls(*functions: tuple[str, Any]) -> Reply:
    sent = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(functions)
    ]
    return says(finish="tool_calls", tool_calls=sent, usage={"prompt_tokens": 10, "completion_tokens": 2})


VOTE = calls(("set_waza_grade_pass", '{"description": "d", "reason": "r"}'))
DONE = says("done", usage={"prompt_tokens": 20, "completion_tokens": 1, "cost": 0.5})


def test_a_turn_runs_until_nothing_is_called(chat: Chat) -> None:
    turn = chat.turn(VOTE, calls(("set_waza_grade_fail", "{}")), DONE, model="m", reasoning_effort="low")
    assert turn == JudgeTurn(
        (
            JudgeCall("set_waza_grade_pass", {"description": "d", "reason": "r"}),
            JudgeCall("set_waza_grade_fail"),
        ),
        "done",
        usage={"model": "m", "requests": 3, "input_tokens": 40, "output_tokens": 5, "cost": 0.5},
    )
    first, _, last = chat.requests
    assert first["model"] == "m"
    assert first["reasoning_effort"] == "low"
    assert first["messages"] == [{"role": "user", "content": "judge this"}]
    assert [it["function"]["name"] for it in first["tools"]] == ["set_waza_grade_pass", "set_waza_grade_fail"]
    assert [it["role"] for it in last["messages"]] == ["user", "assistant", "tool", "assistant", "tool"]
    assert last["messages"][2]["tool_call_id"] == "c0"
    assert chat.headers[0]["authorization"] == "Bearer k"


def test_two_calls_in_one_message_are_both_answered(chat: Chat) -> None:
    turn = chat.turn(calls(("set_waza_grade_pass", "{}"), ("set_waza_grade_pass", "{}")), DONE)
    assert len(turn.calls) == 2
    assert [it["tool_call_id"] for it in chat.requests[1]["messages"][2:]] == ["c0", "c1"]


@pytest.mark.parametrize("arguments", ["{not json", "5", ["x"], '"text"', "", None, "null"])
def test_a_call_with_unreadable_arguments_counts(arguments: Any, chat: Chat) -> None:
    turn = chat.turn(calls(("set_waza_grade_fail", arguments)), DONE)
    has_none = arguments in ("", None, "null")
    assert turn.calls == (JudgeCall("set_waza_grade_fail", {}, unreadable=not has_none),)


def test_arguments_may_come_as_an_object(chat: Chat) -> None:
    turn = chat.turn(calls(("set_waza_grade_fail", {"reason": "r"})), DONE)
    assert turn.calls == (JudgeCall("set_waza_grade_fail", {"reason": "r"}),)


def test_malformed_and_unknown_calls_are_answered_and_do_not_count(chat: Chat) -> None:
    odd = says(
        tool_calls=[{"id": "c0"}, "nonsense", {"id": "c1", "function": {"name": "bash", "arguments": "{}"}}]
    )
    turn = chat.turn(odd, DONE)
    assert turn.calls == ()
    assert "Unknown tool 'bash'" in chat.requests[1]["messages"][-1]["content"]


def test_a_judge_that_never_stops_calling_is_stopped(chat: Chat) -> None:
    assert len(chat.turn(*[VOTE] * 20).calls) == 10


def test_a_refusal_is_the_judges_text(chat: Chat) -> None:
    assert chat.turn(says(refusal="I will not judge this")) == JudgeTurn(
        (), "I will not judge this", usage={"model": "default-model", "requests": 1}
    )


def test_a_message_in_parts_is_joined(chat: Chat) -> None:
    assert chat.turn(says([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])).text == "ab"


@pytest.mark.parametrize(("finish", "part"), [("content_filter", "content filter"), ("length", "cut off")])
def test_an_answer_that_was_stopped_is_an_error_of_the_turn(finish: str, part: str, chat: Chat) -> None:
    assert part in chat.turn(says("...", finish=finish)).error


# The workspace


def test_the_judge_can_read_only_the_workspace(chat: Chat, tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    (workspace / "src").mkdir(parents=True)
    (workspace / "src" / "a.txt").write_text("hello")
    (tmp_path / "secret").write_text("secret")
    (workspace / "link").symlink_to(tmp_path / "secret")
    paths = ["src/a.txt", "../secret", str(tmp_path / "secret"), "link", "src", "a\0b"]
    looks = calls(
        ("list_files", "{}"), *(("read_file", json.dumps({"path": it})) for it in paths), ("read_file", "{}")
    )
    turn = chat.turn(looks, DONE, workspace_dir=str(workspace))
    assert turn.calls == ()
    answers = [it["content"] for it in chat.requests[1]["messages"][2:]]
    assert answers[0].split("\n") == ["link", "src/a.txt"]
    assert answers[1] == "hello"
    assert [("outside" in it, "cannot be read" in it) for it in answers[2:7]] == [
        (True, False),
        (True, False),
        (True, False),
        (False, True),
        (False, True),
    ]
    assert not any("secret" in it for it in answers[4:])


def test_with_only_the_given_tools_the_workspace_is_closed(chat: Chat, tmp_path: Path) -> None:
    chat.turn(DONE, workspace_dir=str(tmp_path), only_these_tools=True)
    assert len(chat.requests[0]["tools"]) == 2


# Bad moments


@pytest.mark.parametrize(
    "bad", [Reply({}, 429), Reply("oops", 500), Reply({}, 503), Reply("no json"), Reply({}, cut=True)]
)
def test_a_bad_moment_is_tried_again_with_growing_pauses(bad: Reply, chat: Chat) -> None:
    assert chat.turn(bad, bad, VOTE, bad, DONE).text == "done"
    assert chat.pauses == [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        (("Retry-After", "7"), 7, 7),
        (("retry-after-ms", "250"), 0.25, 0.25),
        (("Retry-After", "soon"), 1, 1),
    ],
)
def test_retry_after_seconds(header: tuple[str, str], low: float, high: float, chat: Chat) -> None:
    chat.turn(Reply({}, 429, (header,)), DONE)
    [pause] = chat.pauses
    assert low <= pause <= high


def test_retry_after_date(chat: Chat) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    chat.turn(Reply({}, 429, (("Retry-After", moment),)), DONE)
    [pause] = chat.pauses
    assert 1 <= pause <= 31


def test_a_wait_beyond_the_time_budget_ends_the_turn(chat: Chat) -> None:
    limited = Reply({"error": {"message": "slow down"}}, 429, (("Retry-After", "500"),))
    with pytest.raises(JudgeError, match="429: slow down"):
        chat.turn(limited)
    assert chat.pauses == []


def test_the_attempts_are_counted(chat: Chat) -> None:
    with pytest.raises(JudgeError, match=r"500.*tried 5 times"):
        chat.turn(*[Reply({}, 500)] * 5)
    assert len(chat.requests) == 5


def test_calls_made_before_the_failure_are_kept(chat: Chat) -> None:
    with pytest.raises(JudgeError, match="401: bad key") as caught:
        chat.turn(VOTE, Reply({"error": {"message": "bad key"}}, 401))
    assert caught.value.calls == (JudgeCall("set_waza_grade_pass", {"description": "d", "reason": "r"}),)
    assert chat.pauses == []


def test_an_empty_account_is_not_waited_for(chat: Chat) -> None:
    with pytest.raises(JudgeError, match="no credit"):
        chat.turn(Reply({"error": {"message": "no credit", "code": "insufficient_quota"}}, 429))
    assert chat.pauses == []


def test_a_parameter_that_the_model_does_not_know_is_left_out(chat: Chat) -> None:
    refused = Reply({"error": {"message": "unsupported", "param": "reasoning_effort"}}, 400)
    assert chat.turn(refused, DONE, reasoning_effort="max").text == "done"
    assert ["reasoning_effort" in it for it in chat.requests] == [True, False]
    with pytest.raises(JudgeError, match="no such model"):
        chat.judge(*[Reply({"error": {"message": "no such model", "param": "model"}}, 400)] * 9).turn(
            JudgeRequest("x")
        )


@pytest.mark.parametrize(
    "body", [{}, [], {"choices": []}, {"choices": [{}]}, {"choices": [{"message": 5}]}, {"choices": 5}]
)
def test_an_answer_without_a_message_is_an_error(body: Any, chat: Chat) -> None:
    with pytest.raises(JudgeError, match=r"no message|not a JSON object"):
        chat.turn(Reply(body))


def test_a_silent_endpoint_does_not_block_the_run(chat: Chat) -> None:
    started = time.monotonic()
    with pytest.raises(JudgeError):
        chat.turn(Reply({}, hang=0.6), timeout_seconds=0.3)
    assert time.monotonic() - started < 2


def test_nobody_there_is_an_error() -> None:
    judge = OpenAIJudge(Endpoint("http://127.0.0.1:9/v1", sleep=lambda _: None))
    with pytest.raises(JudgeError, match=r"cannot be reached.*tried 5 times"):
        judge.turn(JudgeRequest("x"))


def test_a_redirect_is_not_followed_with_the_key(chat: Chat) -> None:
    with pytest.raises(JudgeError, match="307"):
        chat.turn(Reply({}, 307, (("Location", chat.base_url),)))
    assert len(chat.requests) == 1


def test_an_address_of_another_kind_is_refused() -> None:
    for address in ("file:///etc/passwd", "nonsense", "http://"):
        with pytest.raises(JudgeError, match="not an http or https address"):
            OpenAIJudge(Endpoint(address)).turn(JudgeRequest("x"))


def test_an_agent_s_session_cannot_be_continued(chat: Chat) -> None:
    with pytest.raises(JudgeError, match="Copilot judge"):
        chat.turn(DONE, session_id="s")


# One JSON reply


def test_a_reply_is_decoded(chat: Chat) -> None:
    assert chat.judge(says('{"score": 4}')).reply("rate this", "m") == {"score": 4}
    [request] = chat.requests
    assert request == {
        "model": "m",
        "messages": [{"role": "user", "content": "rate this"}],
        "temperature": 0,
        "response_format": {"type": "json_object"},
    }


def test_a_reply_in_a_fence_is_decoded_and_others_are_errors(chat: Chat) -> None:
    assert chat.judge(says('```json\n{"score": 4}\n```')).reply("x") == {"score": 4}
    chat.requests.clear()
    for bad in (says("four"), says(None), Reply({"choices": []})):
        with pytest.raises(JudgeError):
            chat.judge(bad).reply("x")
        chat.requests.clear()


def test_temperature_is_omitted_for_models_without_it(chat: Chat) -> None:
    refused = Reply({"error": {"message": "unsupported", "param": "temperature"}}, 400)
    assert chat.judge(refused, says("[1]")).reply("x") == [1]


# Settings


def test_the_environment_configures_it() -> None:
    judge = OpenAIJudge.from_environment({"OPENAI_API_KEY": "k"}, "m")
    assert (judge.endpoint.base_url, judge.endpoint.api_key, judge.model) == (
        "https://api.openai.com/v1",
        "k",
        "m",
    )
    local = OpenAIJudge.from_environment({"OPENAI_BASE_URL": "http://localhost:11434/v1"})
    assert (local.endpoint.base_url, local.endpoint.api_key) == ("http://localhost:11434/v1", "")
    with pytest.raises(JudgeMissing, match="OPENAI_API_KEY"):
        OpenAIJudge.from_environment({})


def test_without_a_key_no_credentials_are_sent(chat: Chat) -> None:
    chat.judge(DONE, key="").turn(JudgeRequest("x"))
    assert "authorization" not in chat.headers[0]


def _graded(chat: Chat, *replies: Reply) -> Grade:
    request = JudgeRequest("judge this", system_message="be fair", model="m")
    return request_grade(chat.judge(*replies), request, SCALES["scale_1_5"], chat.pauses.append)


GRADE = calls(("submit_grade", '{"criteria": [{"name": "a", "score": 5, "reasoning": "r"}], "score": 4}'))


def test_a_grade_ends_the_conversation_at_once(chat: Chat) -> None:
    grade = _graded(chat, GRADE)
    assert (grade.points, [it.name for it in grade.criteria]) == (4, ["a"])
    (request,) = chat.requests
    assert [it["role"] for it in request["messages"]] == ["system", "user"]
    assert [it["function"]["name"] for it in request["tools"]] == ["submit_grade"]


def test_a_judge_that_only_talks_is_reminded_in_the_same_conversation(chat: Chat) -> None:
    assert _graded(chat, says("looks good"), says("really"), GRADE).points == 4
    roles = [it["role"] for it in chat.requests[2]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "have not called submit_grade" in chat.requests[2]["messages"][3]["content"]
    assert "tool_calls" not in chat.requests[2]["messages"][2]


def test_there_are_two_reminders_at_most(chat: Chat) -> None:
    with pytest.raises(JudgeError, match="did not call submit_grade"):
        _graded(chat, *[says("no")] * 5)
    assert len(chat.requests) == 3


def test_points_off_the_scale_lead_to_a_reminder(chat: Chat) -> None:
    assert _graded(chat, calls(("submit_grade", '{"score": 9}')), says("done"), GRADE).points == 4
    assert "1 (worst) to 5 (best)" in chat.requests[2]["messages"][-1]["content"]


def test_a_rate_limit_is_waited_for_by_whoever_asks(chat: Chat) -> None:
    assert _graded(chat, Reply({}, 429), Reply({}, 503), GRADE).points == 4
    assert [round(it // 5) for it in chat.pauses] == [1, 2]


def test_a_refused_key_is_not_tried_again(chat: Chat) -> None:
    with pytest.raises(JudgeError, match="401"):
        _graded(chat, Reply({"error": {"message": "bad key"}}, 401), GRADE)
    assert len(chat.requests) == 1
