"""`textDocument/publishDiagnostics`: a document's findings as LSP diagnostics."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from lsprotocol import types

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.links import rule_page
from waza_engine.model.findings import Severity
from waza_lsp.diagnostics.json_writer import members_json, related_json
from waza_lsp.diagnostics.pipeline import check_document
from waza_lsp.diagnostics.ranges import RangedFinding, related_in_other_files
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span, Text

SOURCE = "waza-lsp"

_MAX_FINDINGS = 5_000
_SEVERITIES = {
    Severity.ERROR: 1,
    Severity.WARNING: 2,
    Severity.INFORMATION: 3,
    Severity.HINT: 4,
}
_TAGS = {"unused": 1, "deprecated": 2}
"""As LSP numbers them."""


def findings(snapshot: Snapshot, context: CheckContext) -> list[RangedFinding]:
    """The findings of a document that users see, in the order of the text; none for a file that is no eval."""
    if snapshot.form is None or context.excluded:
        return []
    return check_document(snapshot.tree, snapshot.text, snapshot.form, context)


def diagnostics(snapshot: Snapshot, context: CheckContext) -> "list[types.Diagnostic]":
    """The document's findings as the client gets them."""
    return [_diagnostic(snapshot, it, context) for it in _most_severe(findings(snapshot, context))]


DiagnosticJsonCache = dict[int, tuple[RangedFinding, str]]
"""What was written last of a document, by the identity of what it was made of."""


def diagnostics_json(
    snapshot: Snapshot, context: CheckContext, last: DiagnosticJsonCache | None = None
) -> list[str]:
    """The same, each as JSON: of a long document there are many at every edit, and they go out as they are.

    `last` is brought up to date. A mark that is the same object says the same: pieces that an edit did not touch, and
    that stand where they stood, keep theirs.
    """
    known = last if last is not None else {}
    marks = _most_severe(findings(snapshot, context))
    written = [
        before[1] if (before := known.get(id(it))) is not None else _diagnostic_json(snapshot, it, context)
        for it in marks
    ]
    if last is not None:
        # What stands in other files may move there.
        now = {id(it): (it, text) for it, text in zip(marks, written, strict=True) if not it.finding.related}
        last.clear()
        last.update(now)
    return written


def _most_severe(found: list[RangedFinding]) -> list[RangedFinding]:
    """As many as an editor bears, the gravest wherever they stand; the last one says how many there are."""
    if len(found) <= _MAX_FINDINGS:
        return found
    by_weight = sorted(range(len(found)), key=lambda at: _SEVERITIES[found[at].finding.severity])
    *kept, last = [found[at] for at in sorted(by_weight[:_MAX_FINDINGS])]
    more = f"{len(found) - _MAX_FINDINGS} more findings are shown once some of these are mended"
    return [*kept, last._replace(finding=replace(last.finding, message=f"{last.finding.message}. {more}"))]


def _diagnostic_json(snapshot: Snapshot, mark: RangedFinding, context: CheckContext) -> str:
    it = mark.finding
    about = _shared_members(it.code, it.severity, it.message, it.rule.tags)
    places = [
        (uri, text.range_json(span), said)
        for uri, text, span, said in _related_places(snapshot, mark, context)
    ]
    return f'{{"range":{snapshot.text.range_json(mark.highlight)},{about}{related_json(places)}}}'


@lru_cache(maxsize=4096)
def _shared_members(code: str, severity: Severity, message: str, tags: frozenset[str]) -> str:
    return members_json(_fields(code, severity, message, tags))


def _fields(code: str, severity: Severity, message: str, tags: frozenset[str]) -> dict[str, Any]:
    """The members of a diagnostic, as LSP names them, but for its range and related places."""
    return {
        "severity": _SEVERITIES[severity],
        "code": code,
        "codeDescription": {"href": rule_page(code)},
        "source": SOURCE,
        "message": message,
        "tags": [_TAGS[it] for it in sorted(tags)] or None,
    }


def _related_places(
    snapshot: Snapshot, mark: RangedFinding, context: CheckContext
) -> list[tuple[str, Text, Span, str]]:
    """The places that explain a finding, in this file first: address, text of the file, place, explanation."""
    own = [(snapshot.uri, snapshot.text, span, text) for span, text in mark.related]
    if not any(it.path is not None for it in mark.finding.related):
        return own
    elsewhere = related_in_other_files(mark.finding, context.files, snapshot.text.encoding)
    return [*own, *((path.as_uri(), text, span, said) for path, text, span, said in elsewhere)]


def _diagnostic(snapshot: Snapshot, mark: RangedFinding, context: CheckContext) -> "types.Diagnostic":
    it = mark.finding
    fields = _fields(it.code, it.severity, it.message, it.rule.tags)
    places = [
        types.DiagnosticRelatedInformation(types.Location(uri, text.range(span)), said)
        for uri, text, span, said in _related_places(snapshot, mark, context)
    ]
    return types.Diagnostic(
        range=snapshot.range(mark.highlight),
        message=fields["message"],
        severity=types.DiagnosticSeverity(fields["severity"]),
        code=fields["code"],
        code_description=types.CodeDescription(**fields["codeDescription"]),
        source=fields["source"],
        tags=[types.DiagnosticTag(tag) for tag in fields["tags"] or ()] or None,
        related_information=places or None,
    )
