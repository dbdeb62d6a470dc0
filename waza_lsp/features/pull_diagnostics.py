"""`textDocument/diagnostic` and `workspace/diagnostic`: findings as the reports that a client has asked for.

The id of a result comes from its content, so what the client has seen before need not be remembered.
"""

import hashlib
from collections.abc import Sequence

from lsprotocol import types

DocumentReport = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport
WorkspaceReport = (
    types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
)


def document_report(items: Sequence[types.Diagnostic], previous: str | None) -> DocumentReport:
    """The report on one document to a client that has the result `previous` of it."""
    current = result_id(items)
    if current == previous:
        return types.RelatedUnchangedDocumentDiagnosticReport(current)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=current)


def workspace_report(
    uri: str, version: int | None, items: Sequence[types.Diagnostic], previous: str | None
) -> WorkspaceReport:
    """The report on one of the workspace's documents; `version` is that of an open one."""
    current = result_id(items)
    if current == previous:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, current, version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=current)


def result_id(items: Sequence[types.Diagnostic]) -> str:
    """The same for equal findings, and, with near certainty, for no others."""
    return hashlib.blake2b(repr(items).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
