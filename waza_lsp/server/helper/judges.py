"""The standing of judges in open evals: lenses at their graders, and hints. Read again when the eval's recordings are."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.disk import Stamp
from waza_engine.project.store_location import (
    JUDGEMENTS,
    REVIEWS,
    default_store_dir,
    file_state,
    recording_sources,
)
from waza_lsp.server.events import Bus, LensesChanged, RecordingsKnown
from waza_lsp.server.helper.client import HelperError, Questions
from waza_lsp.server.helper.questions import Judges
from waza_lsp.server.results.annotations.annotation import short_span
from waza_lsp.server.results.annotations.findings import FindingAnnotations
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

_PAUSE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class _Judge:
    """A grader that asks a judge, and the words about it."""

    path: Path
    pointer: Pointer
    grader: str
    text: str


class JudgeStandings:
    """What is known of the judges of open evals."""

    def __init__(self, questions: Questions, marks: FindingAnnotations, bus: Bus) -> None:
        self._questions = questions
        self._marks = marks
        self._bus = bus
        self._judges: dict[Path, list[_Judge]] = {}
        self._pending: dict[Path, Snapshot] = {}
        self._states: dict[str, object] = {}
        """What was read last for a document, by its URI."""
        self._working: asyncio.Task[None] | None = None
        bus.listen(RecordingsKnown, self._recordings_known)

    def _recordings_known(self, event: RecordingsKnown) -> None:
        """Read the standing of the judges of a document's eval, if its recordings or the saved document have changed.

        Not after each edit: the helper then audits the edited task.
        """
        snapshot = event.document
        eval_path = self._questions.ledger.eval_of(snapshot)
        if eval_path is None or not self._questions.settings.audit_enable:
            return
        if not self._questions.ledger.is_recorded(eval_path):
            return
        state = _stored_state(eval_path, snapshot)
        if self._states.get(snapshot.uri) == state:
            return
        self._states[snapshot.uri] = state
        self._pending[eval_path] = snapshot
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._read_pending())

    def lenses(self, snapshot: Snapshot) -> list[types.CodeLens]:
        """The lenses at the graders of a document that ask a judge."""
        found = []
        for it in (one for its in self._judges.values() for one in its if one.path == snapshot.path):
            span = short_span(snapshot, it.pointer, least=len(it.pointer)) if it.text else None
            if span is not None and _name_at(snapshot, it.pointer) in {"", it.grader}:
                start = snapshot.range(Span(Place(span.start.line, 0), Place(span.start.line, 0)))
                arguments = [{"uri": snapshot.uri, "grader": it.grader}]
                found.append(
                    types.CodeLens(start, types.Command(it.text, "waza.review", arguments=arguments))
                )
        return found

    async def _read_pending(self) -> None:
        while self._pending:
            await asyncio.sleep(_PAUSE_SECONDS)
            _, snapshot = self._pending.popitem()
            await self._read(self._questions.documents.get(snapshot.uri) or snapshot)

    async def _read(self, snapshot: Snapshot) -> None:
        try:
            answer = await self._questions.helper.ask(Judges(self._questions.about(snapshot)))
        except HelperError as error:
            self._questions.client.log(f"The judges of {snapshot.path} are not known: {error}")
            return
        if "judges" in answer:
            self._show(snapshot, answer)
        else:
            self._questions.client.log(f"The judges of {snapshot.path} are not known: {answer.get('none')}")

    def _show(self, asked: Snapshot, answer: Mapping[str, Any]) -> None:
        eval_path = Path(answer["eval"])
        judges = [
            _Judge(Path(it["path"]), tuple(it["pointer"]), it["grader"], it["text"])
            for it in answer["judges"]
        ]
        before, self._judges[eval_path] = self._judges.get(eval_path, []), judges
        self._marks.show_findings(asked, eval_path, answer["findings"])
        if judges != before:
            self._bus.publish(LensesChanged())


def _stored_state(eval_path: Path, snapshot: Snapshot) -> tuple[Stamp, ...]:
    """Return a value that changes with the verdicts of runs, people and judges, and when the document is saved."""
    store_dir = default_store_dir(eval_path)
    kept = (store_dir / REVIEWS, store_dir / JUDGEMENTS)
    saved = (snapshot.path,) if snapshot.path is not None else ()
    return tuple(map(file_state, (*recording_sources(eval_path, store_dir), *kept, *saved)))


def _name_at(snapshot: Snapshot, pointer: Pointer) -> str:
    """Return the name of the grader that is at a pointer by now."""
    named = snapshot.tree.find((*pointer, "name"))
    return str(named.node.source) if named is not None else ""
