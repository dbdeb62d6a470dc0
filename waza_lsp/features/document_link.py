"""`textDocument/documentLink`: texts that name a file or directory that is there. A missing one is a finding instead."""

from lsprotocol import types

from waza_lsp.schema.paths import Files, path_values
from waza_lsp.snapshot import Snapshot


def document_link(snapshot: Snapshot, files: Files) -> list[types.DocumentLink]:
    if snapshot.form is None:
        return []
    return [
        types.DocumentLink(snapshot.range(it.span), target=targets[0].as_uri())
        for it in path_values(snapshot.form, snapshot.tree, snapshot.path, files)
        if not it.is_pattern and (targets := it.targets(files))
    ]
