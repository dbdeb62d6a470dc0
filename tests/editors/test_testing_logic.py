"""How the Testing view shows the tree and its verdicts: its code in Node, with a stand-in for VS Code."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.editors.extension_modules import bundled, require_modules

pytestmark = pytest.mark.editor
STUB = Path(__file__).with_name("testing_stub.cjs")
PLACE = {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 5}}


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_modules()
    modules = ["liveVerdicts", "testMessages", "testTree", "verdict"]
    return bundled(tmp_path_factory.mktemp("view"), modules, "--external:vscode")


def printed(view: Path, script: str) -> Any:
    """What a script prints that has the modules as `view` and VS Code as `vscode`."""
    (view.parent / "node_modules").mkdir(exist_ok=True)
    (view.parent / "node_modules" / "vscode.js").write_text(
        STUB.read_text(encoding="utf-8"), encoding="utf-8"
    )
    begin = f"const view = require({json.dumps(str(view))});\nconst vscode = require('vscode');\n"
    done = subprocess.run(
        ["node", "-e", begin + script], capture_output=True, check=True, cwd=view.parent, encoding="utf-8"
    )
    return json.loads(done.stdout)


def test_a_comparison_does_not_hide_the_sentence(view: Path) -> None:
    reason = {
        "message": "'b' not found",
        "uri": "u",
        "range": PLACE,
        "expected": "b",
        "actual": "a",
        "excerpt": "1 a",
    }
    script = f"console.log(JSON.stringify(view.failedMessages([{json.dumps(reason)}], '', {{}})))"
    place = {"values": ["u", {"values": [3, 0, 3, 5]}]}
    assert printed(view, script) == [
        {"message": "'b' not found\n\n1 a", "location": place},
        {
            "message": "Comparison: 'b' not found",
            "expectedOutput": "b",
            "actualOutput": "a",
            "location": place,
        },
    ]


LIVE = """\
const task = (stale) => ({ runId: 'r', status: 'passed', score: 1, at: 1, stale });
const item = { id: 't', label: 'Task', uri: 'u', pointer: [], range: PLACE, children: [] };
const root = { ...item, key: 'e', kind: 'eval', verdict: null, children: [{ ...item, key: 't', kind: 'task', verdict: task(false) }] };
const nothing = { items: null, removed: [], moved: [], pointers: [], places: [] };
const changed = (stale) => ({ ...nothing, version: 2, changed: [{ parent: 'e', key: 't', verdict: task(stale) }] });
const answers = [{ version: 1, items: [root] }, changed(true), changed(false), changed(true)];
let live;
const server = { request: async () => answers.shift(), onLiveVerdicts: (listener) => (live = listener) };
const tree = view.testTree(vscode.controller, server, () => {});
view.showLiveVerdicts(vscode.controller, tree, server);
(async () => {
  await tree.load();
  live({ verdicts: [{ key: 't', status: 'failed', messages: [], graders: [] }] });
  await tree.load();
  vscode.shown.push('run');
  await tree.load();
  await tree.load();
  console.log(JSON.stringify(vscode.shown));
})();
"""


def test_a_live_verdict_is_not_out_of_date_when_the_tree_says_so_of_the_run(view: Path) -> None:
    shown = printed(view, LIVE.replace("PLACE", json.dumps(PLACE)))
    assert shown == [["failed", "Task"], "run", ["out of date", "Task"]]


AFTER_A_FAILURE = """\
const item = { id: 't', label: 'Eval', uri: 'u', pointer: [], range: PLACE, children: [], key: 'e', verdict: null };
const whole = { version: 7, items: [item], changed: [], removed: [], moved: [], pointers: [], places: [] };
const answers = [whole, { version: 8, items: null }, whole];
const asked = [];
const server = { request: async (_, { since }) => (asked.push(since), answers.shift()) };
const tree = view.testTree(vscode.controller, server, () => {});
(async () => {
  await tree.load();
  await tree.load().catch(() => {});
  await tree.load();
  console.log(JSON.stringify([asked, vscode.controller.items.size]));
})();
"""


def test_a_failed_update_is_made_good_by_the_next_one(view: Path) -> None:
    assert printed(view, AFTER_A_FAILURE.replace("PLACE", json.dumps(PLACE))) == [[0, 7, 0], 1]


def test_a_verdict_names_a_few_tasks_only(view: Path) -> None:
    script = """\
const tasks = [...'abcdef'].map((id) => ({ id, status: id === 'a' ? 'passed' : 'failed', score: 0 }));
vscode.window.showWarningMessage = async (text) => void console.log(JSON.stringify(text));
view.showVerdict({ runId: 'r', status: 'failed', score: 0.1, tasks });
"""
    assert printed(view, script) == "1 of 6 tasks passed (score 0.10), not b, c, d, 2 more"
