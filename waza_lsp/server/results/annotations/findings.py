"""Annotations for findings about open evals that a worker process made: those of audits, and those about judges."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import Rule, Severity
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.diagnostics.severities import SEVERITIES
from waza_lsp.diagnostics.suppressions import without_suppressed
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus
from waza_lsp.server.results.annotations.annotation import Annotation, short_span
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span


class FindingAnnotations(Annotations):
    """Annotations for findings of `rules`, with the levels that the settings give them."""

    def __init__(
        self,
        documents: Documents,
        bus: Bus,
        context_of: Callable[[Snapshot], CheckContext],
        rules: Iterable[Rule],
    ) -> None:
        super().__init__(documents, bus)
        self._context_of = context_of
        self._rules = {it.code: it for it in rules}

    def show_findings(
        self,
        asked: Snapshot,
        eval_path: Path,
        findings: Iterable[Mapping[str, Any]],
        is_old: Callable[[Annotation], bool] = lambda _: True,
    ) -> None:
        """Replace the old annotations of an eval with its findings: `{path, pointer, code, message, task?}`.

        The worker was asked about the text of `asked`, which may have been edited since.
        """
        by_path: dict[Path, list[Mapping[str, Any]]] = {}
        for it in findings:
            by_path.setdefault(Path(it["path"]), []).append(it)
        self.clear(lambda _, it: it.eval_path == eval_path and is_old(it))
        for path, its in by_path.items():
            snapshot = asked if path == asked.path else self._documents.of_path(path)
            if snapshot is not None:
                self.add(snapshot, list(self._annotations(snapshot, eval_path, its)))

    def _annotations(
        self, snapshot: Snapshot, eval_path: Path, findings: Iterable[Mapping[str, Any]]
    ) -> Iterable[Annotation]:
        levels = self._context_of(snapshot).levels
        for it in findings:
            rule = self._rules[it["code"]]
            level = levels.get(rule.code, rule.severity)
            span = short_span(snapshot, tuple(it["pointer"])) or short_span(
                snapshot, (next(iter(snapshot.data or {}), ""),)
            )
            if span is not None and isinstance(level, Severity) and not _is_suppressed(snapshot, span, rule):
                task = it.get("task", "")
                yield Annotation(span, it["message"], rule.code, eval_path, task, severity=SEVERITIES[level])


def _is_suppressed(snapshot: Snapshot, span: Span, rule: Rule) -> bool:
    found = [RangedFinding(span, rule.at((), ""))]
    return not without_suppressed(found, snapshot.tree, snapshot.text.lines)
