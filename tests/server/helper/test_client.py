"""The helper as the server sees it: who is answered first, what it knows of documents, and what happens when it ends."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from lsprotocol import types

from tests.server.results.test_annotations import children
from tests.server.results_harness import until
from tests.server.runs.test_process import TURNS, ended, later, no_child
from waza_engine.lib.process.framing import frame
from waza_lsp.server.documents import Documents
from waza_lsp.server.helper import client as client_module
from waza_lsp.server.helper.client import Helper, HelperError, _change, _Turns
from waza_lsp.server.helper.process import documents as child_documents
from waza_lsp.server.helper.questions import About, Audit, Grade, Priority, question_of
from waza_lsp.snapshot import Snapshot

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks for children with ps")

NOTING = "tests.server.noting_worker"


class Notes:
    """A helper that notes its questions in a file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notes"
        self.lost: list[str] = []
        self.helper = Helper(Documents(), dict, NOTING, self.lost.append)

    def question(self, task: str = "", *, may_execute: bool = False) -> Grade:
        return Grade(About(str(self.path), "", ""), (), task, may_execute)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path)


@pytest.mark.parametrize("turns", TURNS)
async def test_a_question_is_cancelled_while_the_helper_is_started(notes: Notes, turns: int) -> None:
    asking = asyncio.create_task(notes.helper.ask(notes.question("hangs")))
    await later(turns, asking.cancel)
    await ended(asking)
    assert asking.cancelled()
    await no_child(NOTING)
    assert await notes.helper.ask(notes.question()) == {}
    notes.helper.end()
    await no_child(NOTING)


@pytest.mark.parametrize("turns", TURNS)
async def test_a_helper_that_is_ended_while_it_is_started_is_asked_nothing(notes: Notes, turns: int) -> None:
    asking = asyncio.create_task(notes.helper.ask(notes.question(may_execute=True)))
    await later(turns, notes.helper.end)
    # On a busy machine the child may have answered before so many turns.
    if turns and not asking.done():
        with pytest.raises(HelperError, match="it was ended"):
            await asking
        await no_child(NOTING)
        assert not notes.path.exists() or "True" not in notes.path.read_text()
    # It can be asked again.
    await asyncio.wait([asking])
    assert await notes.helper.ask(notes.question(may_execute=True)) == {}
    notes.helper.end()
    await no_child(NOTING)


async def test_a_helper_that_is_killed_is_asked_once_more(notes: Notes) -> None:
    asking = asyncio.create_task(notes.helper.ask(notes.question("hangs")))
    for _ in range(2):
        await until(lambda: bool(children(os.getpid(), NOTING)) and notes.path.exists())
        notes.path.unlink()
        for child in children(os.getpid(), NOTING):
            os.kill(child, signal.SIGKILL)
    with pytest.raises(HelperError, match="it ended"):
        await asking
    assert len(notes.lost) == 1
    assert await notes.helper.ask(notes.question()) == {}
    notes.helper.end()
    await no_child(NOTING)


async def test_nobody_asks_and_the_helper_ends(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_IDLE_SECONDS", 0.2)
    assert await notes.helper.ask(notes.question()) == {}
    assert notes.helper.is_running
    await no_child(NOTING)
    assert await notes.helper.ask(notes.question()) == {}
    notes.helper.end()
    await no_child(NOTING)


async def test_the_most_urgent_question_is_next() -> None:
    turns, order = _Turns(), list[str]()

    async def ask(name: str, priority: int) -> None:
        async with turns.take(priority):
            order.append(name)
            await asyncio.sleep(0)

    cancelled = asyncio.create_task(ask("cancelled", Priority.VERDICT))
    async with turns.take(Priority.REST):
        waiting = [
            asyncio.create_task(ask(*it))
            for it in (
                ("audit", Priority.AUDIT),
                ("menu", Priority.ASKED),
                ("verdict", Priority.VERDICT),
                ("page", Priority.ASKED),
            )
        ]
        await asyncio.sleep(0)
        cancelled.cancel()
    await asyncio.gather(*waiting)
    assert order == ["verdict", "menu", "page", "audit"]
    assert not turns.is_taken


TEXTS = [
    "a: 1\nb: \U0001f600x\n",
    "a: 1\nb: \U0001f600xy\nc: 2\n",
    "",
    "x",
    "\ufeffa: 1\r\n",
    "\ufeffa: 2\r\n",
    "a: 1\n",
]


def test_edits_make_the_same_texts(tmp_path: Path) -> None:
    path, before = tmp_path / "eval.yaml", None
    for version, text in enumerate(TEXTS):
        now = Snapshot.of(path.as_uri(), text, version, types.PositionEncodingKind.Utf16)
        child_documents.take_changes([{"path": str(path), "version": version, **_change(before, now)}], 0)
        assert child_documents.FILES.text(path) == text
        before = now
    child_documents.take_changes([{"path": str(path)}], 0)
    assert child_documents.FILES.text(path) is None


def test_questions_stay_the_same_on_their_way() -> None:
    about = About("/e.yaml", "/e.yaml", "/", "waza")
    for it in (Grade(about, ("graders", 0), "t", may_execute=True), Audit(about, ("a", "b"))):
        data: Any = it.data()
        assert question_of(data) == it
        assert frame(data)
        assert cast("Any", question_of(data)).data() == data
