"""What the live audit asks its worker, and in which order: nothing while nothing changes, and edited tasks first."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types

from waza_lsp.server.events import Bus, DocumentChanged, DocumentOpened, FilesChanged, RecordingsKnown
from waza_lsp.server.helper.audits import LiveAudit
from waza_lsp.server.helper.questions import About, Answer, Audit
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.snapshot import Snapshot

EVAL = """\
name: e
config: {executor: mock, model: m}
tasks:
"""
TASK = """\
  - id: {id}
    name: {id}
    inputs: {{prompt: Write}}
    graders:
      - {{type: text, name: says, config: {{contains: [one]}}}}
"""


class _Opened:
    """The documents of an editor that has opened one."""

    def __init__(self, audited: "Audited") -> None:
        self._audited = audited

    def get(self, _: str) -> Snapshot:
        return self._audited.snapshot

    def of_path(self, path: Path) -> Snapshot | None:
        return self._audited.snapshot if path == self._audited.path else None

    def __iter__(self) -> Iterator[Snapshot]:
        return iter([self._audited.snapshot])


class Audited:
    """A live audit of one eval whose worker only notes what it is asked. Each answer has the first task alone."""

    def __init__(self, folder: Path, tasks: int, *, follows: bool = True) -> None:
        self.path = folder / "eval.yaml"
        self.is_recorded = True
        self.asked: list[list[str]] = []
        self.told: list[tuple[str, Any, int]] = []
        """The notifications, and how many questions were asked before each."""
        self.on_question: Callable[[], None] = lambda: None
        self.snapshot = self._version(EVAL + "".join(TASK.format(id=f"t{it}") for it in range(tasks)))
        ledger = SimpleNamespace(eval_of=lambda _: self.path, is_recorded=lambda _: self.is_recorded)
        questions: Any = SimpleNamespace(
            about=lambda _: About(str(self.path), "", ""),
            helper=SimpleNamespace(parts=self._parts),
            ledger=ledger,
            documents=_Opened(self),
            settings=SimpleNamespace(audit_enable=True),
            client=SimpleNamespace(
                log=pytest.fail, watches_files=False, follows_runs=follows, notify=self._notified
            ),
        )
        marks: Any = SimpleNamespace(show_findings=lambda *_, **__: None)
        self.bus = Bus()
        self.audit = LiveAudit(questions, marks, self.bus)

    def _version(self, text: str) -> Snapshot:
        return Snapshot.of(self.path.as_uri(), text, 1)

    async def _parts(self, question: Audit) -> AsyncGenerator[Answer, None]:
        left = list(question.tasks)
        while left:
            self.asked.append(list(left))
            first = left.pop(0)
            self.on_question()
            result: Answer = {"passesFor": [], "score": None, "mutants": 0, "survivors": [], "problem": ""}
            yield {"eval": str(self.path), "tasks": {first: result}, "findings": [], "left": list(left)}

    def _notified(self, method: str, params: Any) -> None:
        self.told.append((method, params, len(self.asked)))

    def edit(self, task: str) -> None:
        """Edit the grader of a task."""
        before, name, after = str(self.snapshot.text).partition(f"id: {task}\n")
        now = self._version(before + name + after.replace("[one", "[one, more", 1))
        self.bus.publish(DocumentChanged(self.snapshot, now))
        self.snapshot = now

    def recordings_known(self) -> None:
        """Say that the recordings were read again."""
        self.bus.publish(RecordingsKnown(self.snapshot))

    def files_changed(self, uri: str) -> None:
        """Say that a file on disk has changed."""
        self.bus.publish(FilesChanged((types.FileEvent(uri, types.FileChangeType.Changed),)))

    async def rest(self) -> list[str]:
        """Wait until nothing is pending. Return the tasks in the order of their audits since the last call."""
        await asyncio.sleep(0)
        while (working := self.audit._working) is not None and not working.done():
            await working
        done, self.asked = [it[0] for it in self.asked], []
        return done


async def test_nothing_is_asked_while_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    it = Audited(tmp_path, 3)
    it.recordings_known()
    assert await it.rest() == ["t0", "t1", "t2"]
    for _ in range(20):
        # Each request for lenses, and a clock, read the recordings again.
        it.recordings_known()
    assert await it.rest() == []
    (tmp_path / "recordings" / "t0.json").write_text("{}")
    it.recordings_known()
    it.recordings_known()
    assert await it.rest() == ["t0", "t1", "t2"]
    # Edited in place: the time of the folder stays.
    (tmp_path / "recordings" / "t0.json").write_text('{"version": 1}')
    it.recordings_known()
    assert await it.rest() == ["t0", "t1", "t2"]
    it.bus.publish(DocumentOpened(it.snapshot))
    it.recordings_known()
    assert await it.rest() == ["t0", "t1", "t2"]


async def test_nothing_is_asked_about_an_eval_without_recordings(tmp_path: Path) -> None:
    it = Audited(tmp_path, 3)
    it.is_recorded = False
    it.recordings_known()
    it.edit("t1")
    it.files_changed((tmp_path / "fixtures/notes.md").as_uri())
    assert await it.rest() == []


async def test_the_client_hears_once_of_all_new_results(tmp_path: Path) -> None:
    it, deaf = Audited(tmp_path, 3), Audited(tmp_path, 3, follows=False)
    for one in (it, deaf):
        one.recordings_known()
        assert await one.rest() == ["t0", "t1", "t2"]
    about = "waza/auditChanged", {"uri": it.path.as_uri()}
    assert it.told == [(*about, 3)]
    assert deaf.told == []
    it.edit("t1")
    assert await it.rest() == ["t1"]
    assert it.told == [(*about, 3), (*about, 1)]


async def test_all_open_documents_of_an_eval_hear_of_new_recordings(tmp_path: Path) -> None:
    told: list[str] = []
    first, second = (SimpleNamespace(uri=it, path=tmp_path / it) for it in ("a.yaml", "b.yaml"))
    started, bus = asyncio.Event(), Bus()
    started.set()
    bus.listen(RecordingsKnown, lambda event: told.append(event.document.uri))

    async def owner(_: object) -> Path:
        return tmp_path / "eval.yaml"

    ledger = SimpleNamespace(
        _owner=owner,
        _read={},
        _reading={},
        _client=SimpleNamespace(encoding="utf-16", is_started=started),
        merge=lambda *_: None,
        _bus=bus,
        documents_of=lambda _: [first, second],
    )
    await ResultLedger._read_in(cast("Any", ledger), cast("Any", first), tmp_path / "eval.yaml")
    assert told == ["a.yaml", "b.yaml"]


async def test_files_of_the_eval_and_skills_are_news_but_open_documents_are_known(tmp_path: Path) -> None:
    it = Audited(tmp_path / "evals", 1)
    it.recordings_known()
    assert await it.rest() == ["t0"]
    for name, expected in (
        ("evals/eval.yaml", []),
        ("other/notes.md", []),
        ("evals/fixtures/notes.md", ["t0"]),
        ("skill/SKILL.md", ["t0"]),
    ):
        it.files_changed((tmp_path / name).as_uri())
        assert await it.rest() == expected, name
    it.files_changed("untitled:x")
    assert await it.rest() == []


async def test_edited_tasks_come_first(tmp_path: Path) -> None:
    it = Audited(tmp_path, 6)
    edits = iter(["t4", "t5"])

    def edit_during_an_answer() -> None:
        if task := next(edits, ""):
            it.edit(task)

    it.on_question = edit_during_an_answer
    it.recordings_known()
    # The newest edit is first, what was left over keeps its order, and no task is audited twice without a reason.
    assert await it.rest() == ["t0", "t4", "t5", "t1", "t2", "t3"]
    it.edit("t2")
    it.edit("t1")
    assert await it.rest() == ["t1", "t2"]
