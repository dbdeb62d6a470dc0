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
    """Return the action if the newest version breaks something in this document.

    At a finding that the upgrade resolves, it is a quick fix: editors such as VS Code show source actions in a menu of their own.
    """
    # Only on request, because it checks the document for two versions.
    if snapshot.form is None or not is_manual_request(context):
        return []
    goal = Goal(snapshot.form.dialect, releases(snapshot.form.dialect).newest)
    kinds = [it for it in (types.CodeActionKind.QuickFix.value, UPGRADE) if accepts_kind(it, context)]
    if not kinds or not goal.version or not (broken := breaks(snapshot, checking, goal)):
        return []
    codes = {it.finding.code for it in broken}
    if not any(it.code in codes for it in context.diagnostics):
        kinds = [it for it in kinds if it == UPGRADE]
    if not kinds:
        return []
    title = f"Upgrade this workspace to {goal.dialect} {goal.version}"
    command = types.Command(
        title, "waza.upgradeWorkspace", arguments=[{"to": f"{goal.dialect}@{goal.version}"}]
    )
    return [types.CodeAction(title, kinds[0], command=command)]
