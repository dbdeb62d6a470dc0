"""`textDocument/diagnostic` and `workspace/diagnostic`: findings as the reports that a client has asked for.

The id of a result comes from its content, so what the client has seen before need not be remembered.
"""

from collections.abc import Sequence

from lsprotocol import types

from waza_lsp.diagnostics.json_writer import diagnostic_json


def document_report(items: Sequence[str], previous: str | None) -> str:
    """The report on one document, as JSON, to a client that has the result `previous` of it; so are the findings."""
    current = result_id(items)
    if current == previous:
        return f'{{"kind":"unchanged","resultId":"{current}"}}'
    return f'{{"kind":"full","resultId":"{current}","items":[{",".join(items)}]}}'


def workspace_report(
    uri: str, version: int | None, items: "Sequence[types.Diagnostic]", previous: str | None
) -> "types.WorkspaceDocumentDiagnosticReport":
    """The report on one of the workspace's documents; `version` is that of an open one."""
    current = result_id([diagnostic_json(it) for it in items])
    if current == previous:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, current, version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=current)


def result_id(items: Sequence[str]) -> str:
    """The same for equal findings, and, with near certainty, for no others. Another server gives others."""
    # Of texts that did not change Python knows the hash already.
    return f"{hash(tuple(items)) & _ALL_BITS:016x}"


_ALL_BITS = (1 << 64) - 1
