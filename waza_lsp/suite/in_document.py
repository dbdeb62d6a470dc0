"""What a document holds that can be run or graded, worked out once a version; nothing in one that is no eval."""

from waza_engine.findings import Pointer
from waza_lsp.schema.grader_sites import GraderSite, grader_sites
from waza_lsp.schema.runnables import Runnable, runnables
from waza_lsp.snapshot import Snapshot


def runnables_in(snapshot: Snapshot) -> tuple[Runnable, ...]:
    """What can be run in a document, the document itself first."""
    return snapshot.once(_runnables)


def graders_in(snapshot: Snapshot) -> tuple[GraderSite, ...]:
    """The graders of a document, in the order of the text."""
    return snapshot.once(_graders)


def runnables_around(snapshot: Snapshot, line: int) -> list[Runnable]:
    """What can be run around a line, the innermost first; the document itself is around each of its lines."""
    found = [
        it
        for it in runnables_in(snapshot)
        if not it.pointer or it.range.start.line <= line <= it.range.end.line
    ]
    return sorted(found, key=lambda it: len(it.pointer), reverse=True)


def task_of(snapshot: Snapshot, pointer: Pointer) -> str:
    """The id of the innermost task that a pointer leads into; empty for a grader of the eval."""
    own = [
        it for it in runnables_in(snapshot) if it.kind == "task" and pointer[: len(it.pointer)] == it.pointer
    ]
    return max(own, key=lambda it: len(it.pointer)).id if own else ""


def _runnables(snapshot: Snapshot) -> tuple[Runnable, ...]:
    form = snapshot.form
    return tuple(runnables(form, snapshot.tree, snapshot.uri)) if form is not None else ()


def _graders(snapshot: Snapshot) -> tuple[GraderSite, ...]:
    form = snapshot.form
    return tuple(grader_sites(form, snapshot.tree)) if form is not None else ()
