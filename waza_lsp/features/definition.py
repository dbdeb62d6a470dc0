"""`textDocument/definition`: from a path to its file, from a pattern to the files it matches, from a name to its thing."""

from lsprotocol import types

from waza_lsp.schema.names import occurrences
from waza_lsp.schema.paths import Files, path_values
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

_TOP = Span(Place(0, 0), Place(0, 0))


def definition(snapshot: Snapshot, position: types.Position, files: Files) -> list[types.Location]:
    form, place = snapshot.form, snapshot.place(position)
    if form is None:
        return []
    for value in path_values(form, snapshot.tree, snapshot.path, files):
        if value.span.contains(place):
            found = [it for it in value.targets(files) if files.is_file(it)]
            return [types.Location(it.as_uri(), snapshot.range(_TOP)) for it in found]
    names = occurrences(form, snapshot.tree, snapshot.text, place)
    return [types.Location(snapshot.uri, snapshot.range(it)) for it in names.definitions] if names else []
