# ruff: noqa: ASYNC240  # small files of a test
"""Trust: what the editor says, what the user answers, and what is remembered."""

import asyncio
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from waza_lsp.server.transport.client import Client
from waza_lsp.server.trust import Trust
from waza_lsp.server.trusted_folders import state_file

pytestmark = pytest.mark.asyncio


class Editor:
    """An editor that answers the question with a title, None or an exception, and counts the questions."""

    does_editor_actions = False
    choose = Client.choose

    def __init__(self, folders: list[Path], answer: Any) -> None:
        self.folders = folders
        self.answer = answer
        self.questions: list[str] = []
        self.shown: list[str] = []
        self.logged: list[str] = []
        self.lsp = SimpleNamespace(window_show_message_request_async=self._asked)

    async def _asked(self, request: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        self.questions.append(request.message)
        await asyncio.sleep(0)
        if isinstance(self.answer, Exception):
            raise self.answer
        return None if self.answer is None else types.MessageActionItem(self.answer)

    def show(self, message: str) -> None:
        self.shown.append(message)

    def log(self, message: str) -> None:
        self.logged.append(message)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "state"))
    monkeypatch.setattr("waza_engine.lib.files.temporary.sys.platform", "linux")
    return state_file()


def trust_of(editor: Editor, **options: Any) -> Trust:
    trust = Trust(editor)  # type: ignore[arg-type]  # what it uses of a client
    trust.take_option(options.get("trusted"))
    return trust


@pytest.mark.parametrize("said", [False, "true", 1, "yes", [], {}, 0])
async def test_only_true_is_trust(said: Any, tmp_path: Path) -> None:
    editor = Editor([tmp_path], "Trust this folder")
    trust = trust_of(editor, trusted=said)
    assert not await trust.ask(tmp_path / "eval.yaml")
    assert not trust.is_granted(tmp_path / "eval.yaml")
    assert editor.questions == []
    assert "not trusted" in editor.shown[0]


async def test_an_editor_that_trusts_is_not_asked(tmp_path: Path) -> None:
    editor = Editor([tmp_path], None)
    assert await trust_of(editor, trusted=True).ask(tmp_path / "eval.yaml")
    assert editor.questions == []


async def test_the_user_is_asked_once_per_folder(tmp_path: Path, state: Path) -> None:
    editor = Editor([tmp_path / "a", tmp_path / "b"], "Trust this folder")
    trust = trust_of(editor)
    assert all(await asyncio.gather(*(trust.ask(tmp_path / "a" / it) for it in ("x.yaml", "y/z.yaml"))))
    assert len(editor.questions) == 1
    assert await trust.ask(tmp_path / "b" / "x.yaml")
    assert len(editor.questions) == 2
    # A new server remembers both.
    other = Editor([tmp_path / "a"], None)
    assert await trust_of(other).ask(tmp_path / "a" / "x.yaml")
    assert other.questions == []
    assert json.loads(state.read_text()) == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert state.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("answer", ["Trust this folder", "Not now"])
async def test_commands_share_the_answer_to_one_question(answer: str, tmp_path: Path) -> None:
    editor = Editor([tmp_path], answer)
    trust = trust_of(editor)
    answers = await asyncio.gather(*(trust.ask(tmp_path / it) for it in ("x.yaml", "y.yaml", "x.yaml")))
    assert answers == [answer == "Trust this folder"] * 3
    assert len(editor.questions) == 1
    assert len(editor.shown) == (answer == "Not now")
    # A later command asks again.
    await trust.ask(tmp_path / "x.yaml")
    assert len(editor.questions) == 1 + (answer == "Not now")


async def test_a_cancelled_command_leaves_the_question_to_the_next(tmp_path: Path) -> None:
    editor = Editor([tmp_path], "Trust this folder")
    trust = trust_of(editor)
    first, second = (asyncio.create_task(trust.ask(tmp_path / "eval.yaml")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second
    assert first.cancelled()
    assert len(editor.questions) == 1


@pytest.mark.parametrize("answer", [None, "Not now", "Trust", TimeoutError("no such method")])
async def test_anything_else_is_no_and_not_remembered(answer: Any, tmp_path: Path, state: Path) -> None:
    editor = Editor([tmp_path], answer)
    trust = trust_of(editor)
    assert not await trust.ask(tmp_path / "eval.yaml")
    assert "initializationOptions" in editor.shown[0]
    assert not state.exists()
    editor.answer = "Trust this folder"
    assert await trust.ask(tmp_path / "eval.yaml")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
async def test_a_file_that_others_can_write_is_not_believed(tmp_path: Path, state: Path) -> None:
    state.parent.mkdir(mode=0o700, parents=True)
    state.write_text(json.dumps([str(tmp_path)]))
    state.chmod(0o666)
    assert not await trust_of(Editor([tmp_path], None)).ask(tmp_path / "eval.yaml")
    state.chmod(0o600)
    assert await trust_of(Editor([tmp_path], None)).ask(tmp_path / "eval.yaml")


@pytest.mark.parametrize("text", ["", "{}", "[1, null]", "[", "\0"])
async def test_a_broken_file_is_no_trust(text: str, tmp_path: Path, state: Path) -> None:
    state.parent.mkdir(mode=0o700, parents=True)
    state.write_text(text)
    editor = Editor([tmp_path], "Trust this folder")
    assert await trust_of(editor).ask(tmp_path / "eval.yaml")
    assert len(editor.questions) == 1


async def test_a_task_below_its_eval_needs_one_question_and_one_elsewhere_two(tmp_path: Path) -> None:
    eval_file = tmp_path / "suite" / "eval.yaml"
    for task, questions in (("suite/tasks/a.yaml", 1), ("tasks/a.yaml", 2), ("suite-2/a.yaml", 2)):
        editor = Editor([], "Trust this folder")
        state_file().unlink(missing_ok=True)
        assert await trust_of(editor).ask_to_run(tmp_path / task, eval_file)
        assert len(editor.questions) == questions
    editor = Editor([], None)
    state_file().unlink()
    assert not await trust_of(editor).ask_to_run(tmp_path / "suite" / "tasks" / "a.yaml", eval_file)
    assert str(eval_file.parent) in editor.questions[0]
