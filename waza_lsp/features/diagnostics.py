"""`textDocument/publishDiagnostics` and `textDocument/diagnostic`: a document's findings as LSP diagnostics."""

from lsprotocol import types

from waza_engine.findings import Severity
from waza_lsp.schema.check import Mark, World, marks
from waza_lsp.snapshot import Snapshot

SOURCE = "waza-lsp"
RULE_PAGES = "https://github.com/waza-lsp/waza-lsp/blob/main/docs/rules"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_TAGS = {"deprecated": types.DiagnosticTag.Deprecated, "unused": types.DiagnosticTag.Unnecessary}


def findings(snapshot: Snapshot, world: World | None) -> list[Mark]:
    """All findings of the document with their places; none in a file that is no eval.

    `world` as in `waza_lsp.schema.check.marks`.
    """
    form = snapshot.form
    return marks(snapshot.tree, form, world) if form is not None else []


def diagnostics(snapshot: Snapshot, world: World | None) -> list[types.Diagnostic]:
    """All findings of the document as the client gets them."""
    return [_diagnostic(snapshot, it) for it in findings(snapshot, world)]


def _diagnostic(snapshot: Snapshot, mark: Mark) -> types.Diagnostic:
    finding = mark.finding
    related = [
        types.DiagnosticRelatedInformation(types.Location(snapshot.uri, snapshot.range(span)), text)
        for span, text in mark.related
    ]
    return types.Diagnostic(
        range=snapshot.range(mark.span),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(f"{RULE_PAGES}/{finding.code}.md"),
        source=SOURCE,
        tags=[_TAGS[it] for it in sorted(finding.rule.tags)] or None,
        related_information=related or None,
    )
