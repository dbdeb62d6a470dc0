"""The runnables and graders of a document, computed once per snapshot. A file that is not an eval has none."""

from weakref import WeakKeyDictionary

from waza_lsp.schema.grader_sites import GraderSite, grader_sites
from waza_lsp.schema.runnables import Runnable, runnables
from waza_lsp.snapshot import Snapshot

_runnables: WeakKeyDictionary[Snapshot, list[Runnable]] = WeakKeyDictionary()
_graders: WeakKeyDictionary[Snapshot, list[GraderSite]] = WeakKeyDictionary()


def runnables_in(snapshot: Snapshot) -> list[Runnable]:
    """The runnables of a document, the document itself first. Callers must not change the list."""
    found = _runnables.get(snapshot)
    if found is None:
        form = snapshot.form
        found = runnables(form, snapshot.tree, snapshot.uri) if form is not None else []
        _runnables[snapshot] = found
    return found


def graders_in(snapshot: Snapshot) -> list[GraderSite]:
    """The graders of a document, in the order of the text. Callers must not change the list."""
    found = _graders.get(snapshot)
    if found is None:
        found = grader_sites(snapshot.form, snapshot.tree) if snapshot.form is not None else []
        _graders[snapshot] = found
    return found
