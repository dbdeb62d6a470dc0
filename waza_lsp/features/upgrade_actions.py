"""The code action "Upgrade this workspace": make all files fit the newest version of their runner."""

from lsprotocol import types

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.recognition.recognise import releases
from waza_lsp.fixes.fixes import accepts_kind, is_manual_request
from waza_lsp.fixes.upgrade import UPGRADE, Goal, breaks
from waza_lsp.snapshot import Snapshot


def upgrade_actions(
    snapshot: Snapshot, context: types.CodeActionContext, checking: CheckContext
) -> list[types.CodeAction]:
    """Return the action if the newest version breaks something in this document."""
    # Only on request, because it checks the document for two versions.
    if snapshot.form is None or not is_manual_request(context) or not accepts_kind(UPGRADE, context):
        return []
    goal = Goal(snapshot.form.dialect, releases(snapshot.form.dialect).newest)
    if not goal.version or not breaks(snapshot, checking, goal):
        return []
    title = f"Upgrade this workspace to {goal.dialect} {goal.version}"
    command = types.Command(
        title, "waza.upgradeWorkspace", arguments=[{"to": f"{goal.dialect}@{goal.version}"}]
    )
    return [types.CodeAction(title, UPGRADE, command=command)]
