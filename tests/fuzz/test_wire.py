"""A short talk of the wire fuzzing; the long one is `python -m tests.fuzz.wire`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.wire import played
from tests.fuzz.wire_line import Line
from tests.fuzz.wire_messages import REQUESTS
from tests.slow import first_quick
from waza_lsp.server.diagnostics.pull import PULLED
from waza_lsp.server.handlers.formatting import FORMATTING
from waza_lsp.server.handlers.requests import REQUESTS as HANDLED


@pytest.mark.parametrize("seed", first_quick([3, 8]))
def test_a_server_survives_its_editor_and_ends_as_a_fresh_one_begins(seed: int) -> None:
    assert played(seed, 150)["messages"] >= 150


def test_requests_of_every_kind_are_sent() -> None:
    handled = {method for method, *_ in (*HANDLED, *FORMATTING, *PULLED)} | {"workspace/executeCommand"}
    assert handled <= set(REQUESTS)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    """A line whose server is ended in any case."""
    root = tmp_path / "workspace"
    root.mkdir()
    found = Line(root, tmp_path / "scratch", {}, {})
    yield found
    found.kill()


def test_a_request_that_is_not_as_the_protocol_has_it_is_answered(line: Line) -> None:
    numbers = [line.send("textDocument/hover", it) for it in ({}, {"textDocument": {"uri": "x"}}, 7, None)]
    line.settle()
    assert [line.answers[it][0]["error"]["code"] for it in numbers] == [-32602] * 4
    line.ill_formed.update(numbers)
    line.end()


def test_a_refusal_is_an_answer_and_no_error_of_the_server(line: Line) -> None:
    number = line.send("workspace/executeCommand", {"command": "waza.unheardOf"})
    line.settle()
    assert "waza.unheardOf" in line.answers[number][0]["error"]["message"]
    line.end()


def test_after_the_shutdown_requests_are_refused(line: Line) -> None:
    line.ask("shutdown", None)
    number = line.send(
        "textDocument/hover", {"textDocument": {"uri": "x"}, "position": {"line": 0, "character": 0}}
    )
    line.settle()
    assert line.answers[number][0]["error"]["code"] == -32600


def test_after_the_shutdown_what_was_on_its_way_is_no_reason_to_warn(line: Line) -> None:
    line.ask("shutdown", None)
    line.tell("textDocument/didClose", {"textDocument": {"uri": "x"}})
    line.write(b'{"jsonrpc": "2.0", "id": "late", "result": null}')
    line.leave()


def test_what_is_no_message_does_not_end_the_talk(line: Line) -> None:
    for body in (b"{nope", b"\xff\xfe", b"[]", b"3", b"[" * 100_000, b'{"id":5}', b'{"id":[],"method":3}'):
        line.write(body)
        assert line.ask("waza/document", {"uri": "untitled:x"}) is None
