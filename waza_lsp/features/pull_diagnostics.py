"""`textDocument/diagnostic` and `workspace/diagnostic`: diagnostics as reports.

The result id is a hash of the content, so the server need not remember what the client has.
"""

from collections.abc import Sequence

from lsprotocol import types

from waza_lsp.diagnostics.json_writer import diagnostic_json


def document_report(items: Sequence[str], previous: str | None) -> str:
    """Return the JSON report on one document. `items` are JSON; `previous` is the result id that the client has."""
    current = result_id(items)
    if current == previous:
        return f'{{"kind":"unchanged","resultId":"{current}"}}'
    return f'{{"kind":"full","resultId":"{current}","items":[{",".join(items)}]}}'


def workspace_report(
    uri: str, version: int | None, items: "Sequence[types.Diagnostic]", previous: str | None
) -> "types.WorkspaceDocumentDiagnosticReport":
    """Return the report on one document of the workspace. `version` is None unless it is open."""
    current = result_id([diagnostic_json(it) for it in items])
    if current == previous:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, current, version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=current)


def result_id(items: Sequence[str]) -> str:
    """Return a hash of the findings. It differs between server processes."""
    # Python caches the hash of each string, so unchanged findings cost nothing.
    return f"{hash(tuple(items)) & _ALL_BITS:016x}"


_ALL_BITS = (1 << 64) - 1
