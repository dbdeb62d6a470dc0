"""What a document holds that can be run or graded; nothing in one that is no eval."""

from waza_lsp.schema.grader_sites import GraderSite, grader_sites
from waza_lsp.schema.runnables import Runnable, runnables
from waza_lsp.snapshot import Snapshot


def runnables_in(snapshot: Snapshot) -> list[Runnable]:
    """What can be run in a document, the document itself first."""
    return runnables(snapshot.form, snapshot.tree, snapshot.uri) if snapshot.form is not None else []


def graders_in(snapshot: Snapshot) -> list[GraderSite]:
    """The graders of a document, in the order of the text."""
    return grader_sites(snapshot.form, snapshot.tree) if snapshot.form is not None else []
