# ruff: noqa: ASYNC240  # small files of a test
"""Class "trust": a server without trust executes nothing and leaves no trace in the folder, whatever it is asked."""

import asyncio
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.hostility.bait import Victim
from tests.server.results_harness import Editor, editor
from tests.slow import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs modes and links of Unix")
TRAPS = """\
- type: program
  name: program
  config: {command: touch, args: ['MADE']}
- type: code
  name: code
  config: {assertions: ["open('MADE', 'w')"]}
- type: code
  name: javascript
  config: {language: javascript, assertions: ["process.mainModule.require('fs').writeFileSync('MADE', '')"]}
- type: text
  name: text
  config: {contains: [mock]}
"""
SHIPPED = {
    ".vscode/settings.json": '{"waza.trusted": true, "security.workspace.trust.enabled": false}',
    ".waza-lsp.toml": "trusted = true\n[trust]\nfolders = ['.']\n",
    ".waza-lsp/trusted-folders.json": '["."]',
    ".waza.yaml": "trusted: true\n",
    "pyproject.toml": "[tool.waza-lsp]\ntrusted = true\n",
    "sitecustomize.py": "open('MADE', 'w')\n",
    "waza_lsp/__init__.py": "open('MADE', 'w')\n",
    "waza_lsp_plugin-1.dist-info/entry_points.txt": "[waza_lsp.graders]\nx = evil:Grader\n",
    "evil.py": "open('MADE', 'w')\n",
    "graders/evil.js": "require('fs').writeFileSync('MADE', '')\n",
}
COMMANDS: dict[str, dict[str, Any]] = {
    "waza.runTask": {"task": "one"},
    "waza.runEval": {},
    "waza.runFailed": {},
    "waza.grade": {"task": "one"},
    "waza.explainGrader": {"pointer": ["graders", 0]},
    "waza.showReport": {"runId": "RUN"},
    "waza.showTrace": {"runId": "RUN"},
    "waza.addCheck": {"task": "one", "yaml": "- type: text\n"},
    "waza.showAudit": {},
    "waza.convert": {"to": "vally"},
    "waza.upgradeWorkspace": {},
    "waza.keepCounterExample": {"task": "one", "mutant": "silence"},
}


@pytest.fixture
def made(victim: Victim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with a stored run and traps. The path is what only something that ran could have made."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    victim.write_suite()
    (victim.workspace / ".git").mkdir()
    done = victim.call("run", "eval.yaml")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "made"
    hook = f"hooks:\n  before_run: [{{command: touch {path}}}]\n"
    victim.write_suite(graders=TRAPS.replace("MADE", str(path)), eval_keys=hook)
    for name, text in SHIPPED.items():
        file = victim.workspace / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("MADE", str(path)), encoding="utf-8")
    return path


def _state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(it.relative_to(folder)): (it.stat().st_mode, b"" if it.is_dir() else it.read_bytes())
        for it in sorted(folder.rglob("*"))
    }


def _run_id(victim: Victim) -> str:
    with closing(sqlite3.connect(f"file:{_store(victim)}?mode=ro&immutable=1", uri=True)) as sql:
        [(found,)] = sql.execute("SELECT run_id FROM runs")
    return str(found)


def _store(victim: Victim) -> Path:
    return victim.workspace / ".waza-lsp" / "runs.sqlite3"


async def _everything(it: Editor, victim: Victim) -> None:
    """Open, look, edit, save, and execute every command, those of lenses and code actions, too."""
    task = victim.workspace / "tasks" / "one.yaml"
    for path in (victim.eval_file, task):
        it.open(path)
        document = types.TextDocumentIdentifier(it.uri)
        await it.lenses_with("Run")
        await asyncio.sleep(0.3)
        lenses = await it.client.text_document_code_lens_async(types.CodeLensParams(document)) or []
        whole = types.Range(types.Position(0, 0), types.Position(len(it.text.splitlines()), 0))
        context = types.CodeActionContext([])
        params = types.CodeActionParams(document, whole, context)
        actions = await it.client.text_document_code_action_async(params) or []
        offered = [one.command for one in (*lenses, *actions) if isinstance(one.command, types.Command)]
        for command in offered:
            await _execute(it, command.command, list(command.arguments or []))
        for line in range(len(it.text.splitlines())):
            at = types.Position(line, 4)
            await it.client.text_document_hover_async(types.HoverParams(document, at))
    it.replace("mock", "mocks")
    it.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(it.uri)))
    await asyncio.sleep(0.5)
    for name, arguments in COMMANDS.items():
        known = {key: _run_id(victim) if value == "RUN" else value for key, value in arguments.items()}
        for uri in (task.as_uri(), victim.eval_file.as_uri()):
            await _execute(it, name, [{"uri": uri, "trusted": True, "token": "t", **known}])


async def _execute(it: Editor, name: str, arguments: list[Any]) -> None:
    if name == "waza.exportSchemas":
        return
    call = it.client.workspace_execute_command_async(types.ExecuteCommandParams(name, arguments))
    found = await asyncio.wait_for(asyncio.gather(call, return_exceptions=True), 60)
    assert "Traceback" not in str(found)


@pytest.mark.parametrize(
    "options",
    first_quick([{"trusted": None}, {"trusted": "true"}, {"trusted": 1}, {"trusted": []}, {}], 1),
    ids=repr,
)
async def test_trust_without_it_nothing_runs_and_nothing_is_written(
    options: dict[str, Any], victim: Victim, made: Path, tmp_path: Path
) -> None:
    before = _state(victim.workspace)
    asked: list[str] = []
    said: dict[str, Any] = options or {"trusted": ...}
    async with editor(victim.workspace, settings={"run": {"executor": "mock"}}, **said) as it:
        it.client.protocol.fm.features[types.WINDOW_SHOW_MESSAGE_REQUEST] = lambda one: asked.append(
            one.message
        )
        await _everything(it, victim)
    assert not made.exists()
    assert _state(victim.workspace) == before
    assert not (tmp_path / "state" / "waza-lsp" / "trusted-folders.json").exists()
    assert victim.is_unharmed()


@pytest.mark.slow
async def test_with_trust_the_traps_do_work(victim: Victim, made: Path) -> None:
    async with editor(victim.workspace, settings={"run": {"executor": "mock"}}) as it:
        it.open(victim.workspace / "tasks" / "one.yaml")
        await _execute(it, "waza.runTask", [{"uri": it.uri, "task": "one"}])
    assert made.exists()


@pytest.mark.parametrize("kind", ["closed", "with a log", "log without index", "older", "locked"])
async def test_trust_an_untrusted_server_leaves_the_store_as_it_is(
    kind: str, victim: Victim, made: Path
) -> None:
    store, folder = _store(victim), _store(victim).parent
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        match kind:
            case "closed":
                other.close()
                for file in folder.glob("*-*"):
                    file.unlink()
            case "older":
                other.execute("PRAGMA user_version = 1")
            case "locked":
                other.execute("BEGIN EXCLUSIVE")
            case "log without index":
                other.execute("UPDATE runs SET model = 'x'")
                copy = folder.with_name("copy")
                shutil.copytree(folder, copy)
                other.close()
                shutil.rmtree(folder)
                copy.rename(folder)
                for file in folder.glob("*-shm"):
                    file.unlink()
            case _:
                other.execute("UPDATE runs SET model = 'x'")
        before = {name: it for name, it in _state(folder).items() if not name.endswith("-shm")}
        names = sorted(it.name for it in folder.iterdir())
        async with editor(victim.workspace, trusted=False) as it:
            it.open(victim.workspace / "tasks" / "one.yaml")
            await it.lenses_with("Run")
            await asyncio.sleep(1)
            it.replace("mock", "mocks")
            await _execute(it, "waza.explainGrader", [{"uri": it.uri, "pointer": ["graders", 3]}])
            await asyncio.sleep(0.5)
            await it.lenses()
        assert sorted(it.name for it in folder.iterdir()) == names
        assert {name: it for name, it in _state(folder).items() if not name.endswith("-shm")} == before
    assert not made.exists()


async def test_trust_of_a_folder_is_not_that_of_the_eval_above_it(victim: Victim, made: Path) -> None:
    """The task's folder is open and trusted; its eval, with the hooks, is in the folder above."""
    tasks = victim.workspace / "tasks"
    asked: list[str] = []
    async with editor(tasks, trusted=..., settings={"run": {"executor": "mock"}}) as it:

        def answer(one: Any) -> Any:
            asked.append(one.message)
            is_tasks = f"evals in {tasks}?" in one.message
            return types.MessageActionItem("Trust this folder") if is_tasks else None

        it.client.protocol.fm.features[types.WINDOW_SHOW_MESSAGE_REQUEST] = answer
        it.open(tasks / "one.yaml")
        for name in ("waza.runTask", "waza.grade"):
            await _execute(it, name, [{"uri": it.uri, "task": "one"}])
    assert len(asked) >= 2
    assert not made.exists()


async def test_trust_of_one_folder_writes_no_report_into_another(
    victim: Victim, made: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    shutil.copy(victim.eval_file, mine / "eval.yaml")
    async with editor(mine, trusted=...) as it:

        def answer(one: Any) -> Any:
            is_mine = f"evals in {mine}?" in one.message
            return types.MessageActionItem("Trust this folder") if is_mine else None

        it.client.protocol.fm.features[types.WINDOW_SHOW_MESSAGE_REQUEST] = answer
        added = [types.WorkspaceFolder(victim.workspace.as_uri(), "other")]
        event = types.WorkspaceFoldersChangeEvent(added, [])
        it.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        it.open(victim.eval_file)
        found = await it.execute("waza.showReport", runId=_run_id(victim), uri=(mine / "eval.yaml").as_uri())
        assert found is None
        assert await it.execute("waza.upgradeWorkspace") is None
    assert not list(victim.workspace.rglob("*.html"))
    assert not made.exists()


@pytest.mark.parametrize("option", ["--trust", "--trusted", "--trusted=true", "--trust-all"])
def test_trust_is_no_option_of_the_command_line(option: str, victim: Victim) -> None:
    done = victim.call("serve", option)
    assert done.returncode == 2
    assert "No such option" in done.stderr
