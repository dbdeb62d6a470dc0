"""`textDocument/documentLink`: links on paths of existing files and folders. A missing one is a finding instead."""

from lsprotocol import types

from waza_lsp.schema.paths import Disk, path_values
from waza_lsp.snapshot import Snapshot


def document_link(snapshot: Snapshot, files: Disk) -> list[types.DocumentLink]:
    """Return a link for each path whose file or folder exists; a skill's folder links to its SKILL.md."""
    if snapshot.form is None:
        return []
    return [
        types.DocumentLink(snapshot.range(it.span), target=targets[0].as_uri())
        for it in path_values(snapshot.form, snapshot.tree, snapshot.path, files)
        if not it.is_pattern and (targets := it.opened(files))
    ]
