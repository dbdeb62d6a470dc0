"""Tests of the OpenTelemetry export: attributes and parents of the spans, and what is not sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.executors.base import TrialRequest, UnavailableError
from waza_engine.executors.event_log import EventLog
from waza_engine.model.results.records import RunRecord
from waza_engine.model.trajectory import Trajectory
from waza_lsp.cli.run.traces import refuse_without_otel, send_traces

exporting = pytest.importorskip(
    "opentelemetry.sdk.trace.export.in_memory_span_exporter",
    reason="OpenTelemetry is not installed; install the extra: pip install 'waza-lsp[otel]'",
)


async def performed(bench: Bench, scripted: Scripted) -> RunRecord:
    async def works(request: TrialRequest) -> Trajectory:
        log = EventLog(session_id=f"session-{request.trial}")
        log.add(
            "tool.execution_start",
            {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "secret"}},
        )
        log.add(
            "tool.execution_complete", {"toolCallId": "c1", "success": request.trial == 1, "result": "secret"}
        )
        log.add("assistant.usage", {"inputTokens": 10, "outputTokens": 3})
        log.say("a secret hello")
        log.error = "" if request.trial == 1 else "the agent hung up"
        return log.trajectory(task=request.task.id, model="m", prompt="secret", duration_ms=50)

    scripted.perform = works
    suite = bench.suite(task("a"), graders=(contains("hello"), contains("bye", name="polite")))
    return await bench.run(suite, scripted, trials=2)


def spans_of(record: RunRecord) -> list[Any]:
    exporter = exporting.InMemorySpanExporter()
    spans: list[Any] = []
    exporter.shutdown = lambda: spans.extend(exporter.get_finished_spans())
    assert send_traces(record, exporter) == ""
    return spans


async def test_a_run_is_a_tree_of_spans_named_by_the_conventions(bench: Bench, scripted: Scripted) -> None:
    record = await performed(bench, scripted)
    spans = spans_of(record)
    assert [it.name for it in spans] == [
        *["execute_tool bash", "invoke_agent scripted"] * 2,
        "run demo",
    ]
    *_, whole = spans
    tool, agent, _, second, _ = spans
    assert (tool.parent.span_id, agent.parent.span_id) == (agent.context.span_id, whole.context.span_id)
    assert dict(tool.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.id": "c1",
    }
    wanted = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "scripted",
        "gen_ai.request.model": "m",
        "gen_ai.conversation.id": "session-1",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 3,
        "test.case.name": "a",
        "test.case.result.status": "fail",
        "waza.trial": 1,
        "waza.attempts": 1,
        "waza.score": 0.5,
    }
    assert dict(agent.attributes) == wanted
    assert [(it.name, dict(it.attributes)) for it in agent.events] == [
        (
            "gen_ai.evaluation.result",
            {
                "gen_ai.evaluation.name": name,
                "gen_ai.evaluation.score.value": score,
                "gen_ai.evaluation.score.label": label,
                "gen_ai.evaluation.explanation": feedback,
            },
        )
        for name, score, label, feedback in (
            ("says", 1.0, "passed", "All checks passed"),
            ("polite", 0.0, "failed", '"bye" not found in the output'),
        )
    ]
    assert agent.end_time - agent.start_time == 50_000_000
    assert (agent.status.is_ok, second.status.is_ok, second.status.description) == (
        True,
        False,
        "the agent hung up",
    )
    assert whole.attributes["test.suite.run.status"] == "failure"
    assert whole.resource.attributes["service.name"] == "waza-lsp"


async def test_no_message_is_sent(bench: Bench, scripted: Scripted) -> None:
    sent = "".join(it.to_json() for it in spans_of(await performed(bench, scripted)))
    assert "secret" not in sent


async def test_a_recording_without_times_has_no_tool_spans(bench: Bench, scripted: Scripted) -> None:
    record = await performed(bench, scripted)
    trial = record.tasks[0].trials[0]
    timeless = [{k: v for k, v in it.items() if k != "at_ms"} for it in trial.trajectory.transcript]
    old = replace(
        trial, trajectory=trial.trajectory.model_copy(update={"transcript": timeless, "session": None})
    )
    spans = spans_of(replace(record, tasks=(replace(record.tasks[0], trials=(old,)),)))
    assert [it.name for it in spans] == ["invoke_agent scripted", "run demo"]


@contextmanager
def collector(status: int) -> Iterator[tuple[str, list[str]]]:
    """A collector on loopback that answers so; the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize(("status", "message"), [(200, ""), (400, "5 spans could not be sent")])
async def test_spans_are_sent_to_the_endpoint_in_the_environment(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch, status: int, message: str
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the exporter is not installed")
    record = await performed(bench, scripted)
    with collector(status) as (address, asked):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        refuse_without_otel()
        assert send_traces(record).startswith(message)
    assert asked == ["/v1/traces"]


def test_a_missing_extra_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        __import__("sys").modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None
    )
    with pytest.raises(UnavailableError, match="pip install opentelemetry-"):
        refuse_without_otel()
