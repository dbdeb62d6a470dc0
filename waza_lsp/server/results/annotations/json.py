"""The diagnostics of annotations as JSON. An annotation that an edit neither changed nor moved is written once."""

from functools import lru_cache

from lsprotocol import types

from waza_engine.lib.links import manual_page, rule_page
from waza_lsp.diagnostics.json_writer import members_json
from waza_lsp.features.diagnostics import SOURCE
from waza_lsp.server.results.annotations.annotation import (
    FAILED_CHECK,
    FLAKY_GRADER,
    LIVE_VERDICT,
    RECORDED_RUNS,
    Annotation,
)
from waza_lsp.syntax.text import Span, Text

_SEVERITIES = {
    FAILED_CHECK: types.DiagnosticSeverity.Information,
    LIVE_VERDICT: types.DiagnosticSeverity.Hint,
    RECORDED_RUNS: types.DiagnosticSeverity.Information,
    FLAKY_GRADER: types.DiagnosticSeverity.Hint,
}


class AnnotationJson:
    """Writes the annotations of one file, and keeps what it wrote last."""

    def __init__(self) -> None:
        self._annotations: list[Annotation] = []
        self._written: list[str] = []
        self._known: dict[tuple[int, ...], tuple[list[Annotation], str]] = {}
        """The diagnostics by the identity of their annotations."""

    def diagnostics(self, text: Text, annotations: list[Annotation]) -> list[str]:
        """Return the annotations of a text as diagnostics, one per range and code. The list must not change later."""
        if annotations is not self._annotations:
            known = self._known
            groups = ((tuple(map(id, its)), its) for its in _by_place(annotations))
            self._known = {ids: known.get(ids) or (its, _diagnostic_json(text, its)) for ids, its in groups}
            self._written = [it for _, it in self._known.values()]
            self._annotations = annotations
        return self._written


def _by_place(annotations: list[Annotation]) -> list[list[Annotation]]:
    """Return the annotations with messages by range and code, in the order of the text."""
    found: dict[tuple[Span, str], list[Annotation]] = {}
    for it in sorted(annotations, key=lambda it: (it.span, it.task)):
        if it.message:
            found.setdefault((it.span, it.code), []).append(it)
    return [*found.values()]


def _diagnostic_json(text: Text, annotations: list[Annotation]) -> str:
    """Return annotations with one range and code as one diagnostic."""
    first = annotations[0]
    lines = [f"{it.task}: {it.message}" if it.names_task and it.task else it.message for it in annotations]
    severity = first.severity or _SEVERITIES[first.code]
    about = _members(severity, first.code, "\n".join(dict.fromkeys(lines)))
    return f'{{"range":{text.range_json(first.span)},{about}}}'


@lru_cache(maxsize=4096)
def _members(severity: types.DiagnosticSeverity, code: str, message: str) -> str:
    page = manual_page("running") if code in _SEVERITIES else rule_page(code)
    fields = {"severity": severity, "code": code, "codeDescription": {"href": page}, "source": SOURCE}
    return members_json({**fields, "message": message})
