"""The coverage of open skills: finds the evals that test them, and follows edits of both.

Evals are searched and loaded in a thread, and only while a SKILL.md is open. Nothing is executed. After an edit of the
description, its clauses are matched again at once, with the prompts that are known.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_engine.coverage.matching import State, clause_states
from waza_engine.coverage.rules.untested_clause import UNTESTED_CLAUSE, message
from waza_engine.coverage.suites import SkillCoverage, coverage_of
from waza_engine.lib.links import rule_page
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.project.skills import Skill
from waza_lsp.diagnostics.json_writer import diagnostic_json
from waza_lsp.diagnostics.severities import SEVERITIES
from waza_lsp.features.diagnostics import SOURCE
from waza_lsp.features.skill_lens import skill_lens
from waza_lsp.runnables.commands import Verdict
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import (
    AnnotationsChanged,
    Bus,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    FilesChanged,
    LensesChanged,
)
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.workspace.skill_text import SkillText, is_skill_document, skill_text

if TYPE_CHECKING:
    from waza_engine.model.suite import Suite

_PAUSE_SECONDS = 0.15


@dataclass(slots=True)
class _Known:
    """What is known of an open skill: the evals that may test it, and how they do. `name` is the one it was found by."""

    name: str
    candidates: list[Path]
    coverage: SkillCoverage
    evals: list[Snapshot] = field(default_factory=list)


class SkillCoverages:
    """The coverage of each open SKILL.md."""

    def __init__(self, documents: Documents, workspace: Workspace, ledger: ResultLedger, bus: Bus) -> None:
        self._documents = documents
        self._workspace = workspace
        self._ledger = ledger
        self._bus = bus
        self._known: dict[str, _Known] = {}
        self._suites: dict[Path, Suite] = {}
        """The last suites that could be loaded: an eval that is being edited often cannot."""
        self._pending: dict[str, bool] = {}
        """The skills to measure by URI, and whether to search for their evals."""
        self._working: asyncio.Task[None] | None = None
        bus.listen(DocumentOpened, self._document_opened)
        bus.listen(DocumentChanged, lambda event: self._text_changed(event.after))
        bus.listen(DocumentClosed, self._document_closed)
        bus.listen(FilesChanged, self._files_changed)

    def of(self, snapshot: Snapshot) -> tuple[SkillText, SkillCoverage] | None:
        """The skill of a document with its coverage; None if it is not known, or no eval tests it."""
        skill, known = skill_text(snapshot), self._known.get(snapshot.uri)
        if skill is None or known is None or not known.coverage.evals:
            return None
        return skill, known.coverage

    def lenses(self, snapshot: Snapshot, now: float) -> list[types.CodeLens]:
        """The lenses of a SKILL.md. Reads the results of its evals in the background."""
        found = self.of(snapshot)
        if found is None:
            return []
        skill, coverage = found
        for it in self._known[snapshot.uri].evals:
            self._ledger.read_again(it)
        return skill_lens(snapshot, skill, coverage, [*self._verdicts(coverage)], now)

    def _verdicts(self, coverage: SkillCoverage) -> Iterator[tuple[Path, Verdict]]:
        for it in coverage.evals:
            for task in it.tasks:
                if (verdict := self._ledger.verdict_of(it.path, task)) is not None:
                    yield it.path, verdict

    def diagnostics_json(self, snapshot: Snapshot) -> list[str]:
        """The hints at the clauses that no prompt exercises, as JSON."""
        found = self.of(snapshot)
        context = self._workspace.context(snapshot) if found is not None else None
        if found is None or context is None or context.excluded:
            return []
        skill, coverage = found
        level = context.levels.get(UNTESTED_CLAUSE.code, UNTESTED_CLAUSE.severity)
        if level is None:
            return []
        prompts = [prompt for it in coverage.evals for prompt in it.prompts]
        return [
            diagnostic_json(
                types.Diagnostic(
                    range=snapshot.range(skill.span(it.clause.start, it.clause.end)),
                    message=message(it.clause, len(coverage.evals)),
                    severity=SEVERITIES[level],
                    code=UNTESTED_CLAUSE.code,
                    code_description=types.CodeDescription(rule_page(UNTESTED_CLAUSE.code)),
                    source=SOURCE,
                )
            )
            for it in clause_states(skill.skill.description, prompts)
            if it.state is State.UNTESTED
        ]

    def _document_opened(self, event: DocumentOpened) -> None:
        """Search for the evals of a skill."""
        if is_skill_document(event.document):
            self._soon(event.document.uri, search=True)

    def _document_closed(self, event: DocumentClosed) -> None:
        """Forget a skill; drop the unsaved text of an eval."""
        snapshot = event.document
        if is_skill_document(snapshot):
            self._known.pop(snapshot.uri, None)
            self._pending.pop(snapshot.uri, None)
            if not self._known:
                self._suites.clear()
        else:
            self._text_changed(snapshot)

    def _text_changed(self, snapshot: Snapshot) -> None:
        """Follow an edit of a skill, or of a file that may belong to its evals."""
        skill = skill_text(snapshot)
        if is_skill_document(snapshot):
            known = self._known.get(snapshot.uri)
            is_renamed = skill is not None and (known is None or known.name != skill.skill.name)
            self._soon(snapshot.uri, search=is_renamed)
            self._bus.publish(AnnotationsChanged(snapshot))
        elif snapshot.form is not None:
            for uri, known in self._known.items():
                self._soon(uri, search=self._may_be_new(snapshot, known))

    def _may_be_new(self, snapshot: Snapshot, known: _Known) -> bool:
        """Whether an edited file may have become one that tests a skill."""
        is_known = snapshot.path in known.candidates or self._ledger.eval_of(snapshot) in known.candidates
        return not is_known and any(known.name in it for it in snapshot.text.lines)

    def _files_changed(self, event: FilesChanged) -> None:
        """Measure again, because files on disk have changed. Search only if one is not of a known eval."""
        paths = [path for uri in event.uris if (path := path_of(uri)) is not None and path.name != SKILL_FILE]
        for uri, known in self._known.items() if paths else ():
            folders = [it.parent for it in known.candidates]
            self._soon(uri, search=not all(any(map(it.is_relative_to, folders)) for it in paths))

    def _soon(self, uri: str, *, search: bool) -> None:
        self._pending[uri] = self._pending.get(uri, False) or search
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._measure_pending())

    async def _measure_pending(self) -> None:
        while self._pending:
            await asyncio.sleep(_PAUSE_SECONDS)
            uri, search = self._pending.popitem() if self._pending else ("", False)
            snapshot = self._documents.get(uri)
            skill = skill_text(snapshot) if snapshot is not None else None
            if snapshot is None or skill is None:
                self._known.pop(uri, None)
                continue
            before = self._known.get(uri)
            candidates = before.candidates if before is not None and not search else None
            texts = self._documents.texts()
            found = await asyncio.to_thread(self._measured, snapshot, skill.skill, candidates, texts)
            if self._documents.get(uri) is not None:
                self._show(uri, before, found)

    def _show(self, uri: str, before: _Known | None, found: _Known) -> None:
        self._known[uri] = found
        snapshot = self._documents.get(uri)
        if snapshot is not None:
            self._bus.publish(AnnotationsChanged(snapshot))
        if before is None or _shown(before) != _shown(found):
            self._bus.publish(LensesChanged())

    def _measured(
        self, snapshot: Snapshot, skill: Skill, candidates: list[Path] | None, texts: Mapping[Path, str]
    ) -> _Known:
        """Measure a skill. Runs in a thread."""
        # Imported late: few sessions open a SKILL.md.
        from waza_engine.coverage.index import evals_that_may_test

        files = self._workspace.files
        if candidates is None:
            candidates = evals_that_may_test(skill, self._workspace.yaml_files(), files)
        suites = [suite for path in candidates if (suite := self._loaded(path, texts)) is not None]
        coverage = coverage_of(skill, suites, files)
        workspace = self._workspace.files_for(snapshot)
        evals = [own for it in coverage.evals if (own := workspace.snapshot(it.path)) is not None]
        return _Known(skill.name, candidates, coverage, evals)

    def _loaded(self, path: Path, texts: Mapping[Path, str]) -> "Suite | None":
        from waza_engine.model.suite import LoadError
        from waza_engine.project.load_suite import load_suite
        from waza_engine.project.reading import reading_open_texts

        process_dir = self._workspace.process_dir(path) or path.parent
        try:
            with reading_open_texts(texts):
                self._suites[path] = load_suite(path, process_dir=process_dir)
        except LoadError:
            if not path.is_file():
                self._suites.pop(path, None)
        return self._suites.get(path)


def _shown(known: _Known) -> object:
    return [(it.path, it.tasks) for it in known.coverage.evals]
