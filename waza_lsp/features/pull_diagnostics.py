"""`textDocument/diagnostic` and `workspace/diagnostic`: diagnostics as reports.

The result id is a hash of the content, so the server need not remember what the client has.
"""

import json
from collections.abc import Sequence


def document_report(items: Sequence[str], previous: str | None) -> str:
    """Return the JSON report on one document. `items` are JSON; `previous` is the result id that the client has."""
    current = result_id(items)
    if current == previous:
        return f'{{"kind":"unchanged","resultId":"{current}"}}'
    return f'{{"kind":"full","resultId":"{current}","items":[{",".join(items)}]}}'


def workspace_report(uri: str, version: int | None, items: Sequence[str], previous: str | None) -> str:
    """Return the JSON report on one document of the workspace. `version` is None unless it is open."""
    about = f'"uri":{json.dumps(uri)},"version":{json.dumps(version)}'
    return f"{document_report(items, previous)[:-1]},{about}}}"


def report_on_gone(uri: str) -> str:
    """Return the JSON report on a file that was deleted or excluded, or is no longer an eval."""
    return f'{{"kind":"full","items":[],"uri":{json.dumps(uri)},"version":null}}'


def result_id(items: Sequence[str]) -> str:
    """Return a hash of the findings. It differs between server processes."""
    # Python caches the hash of each string, so unchanged findings cost nothing.
    return f"{hash(tuple(items)) & _ALL_BITS:016x}"


_ALL_BITS = (1 << 64) - 1
