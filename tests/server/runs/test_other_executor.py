"""A run whose executor is not available: the questions, and the run that the user chooses instead."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.results.test_annotations import TASK, task_file
from tests.server.results_harness import Editor, editor, plain, until

NAME = "own"
NOT_INSTALLED = "The Copilot SDK is not installed."


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without the SDK. Returns the only folder with agents on the PATH."""
    packages, programs = tmp_path / "packages", tmp_path / "programs"
    packages.mkdir()
    programs.mkdir()
    (packages / "copilot.py").write_text("raise ImportError('not installed')\n", encoding="utf-8")
    path = [str(packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return programs


class User:
    """Answers questions, one after the other, and remembers their texts and buttons."""

    def __init__(self, it: Editor, *answers: str) -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self.actions: list[Any] = []
        self._answers = list(answers)
        it.client.protocol.fm.features[types.WINDOW_SHOW_MESSAGE_REQUEST] = self._answer
        it.client.protocol.fm.features["waza/editorAction"] = lambda told: self.actions.append(plain(told))

    def _answer(self, request: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        titles = [it.title for it in request.actions or ()]
        self.asked.append((request.message, titles))
        answer = self._answers.pop(0) if self._answers else ""
        assert not answer or answer in titles
        return types.MessageActionItem(answer) if answer else None


async def run(it: Editor) -> Any:
    return plain(await it.execute("waza.runTask", uri=it.uri, task=TASK, token=NAME))


def statuses(it: Editor) -> list[str]:
    return [event["status"] for event in it.events if event["event"] == "run_finished"]


async def test_recordings_beside_the_eval_take_the_place_of_the_agent(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"run": {}}) as it:
        user = User(it, "Run with Recordings")
        it.open(task_file(suite))
        answer = await run(it)
        assert (answer["status"], answer["score"]) == ("passed", 1.0)
        buttons = ["Run with Recordings", "Mock", "Install...", "Agent..."]
        assert user.asked == [(NOT_INSTALLED, buttons)]
        assert not it.messages
        assert statuses(it) == ["error", "passed"]
        [missing] = [event for event in it.events if event["event"] == "executor_unavailable"]
        assert (missing["executor"], missing["extra"], missing["token"]) == ("copilot-sdk", "copilot", NAME)


@pytest.mark.slow
async def test_without_recordings_there_is_the_mock(tmp_path: Path, suite: Path) -> None:
    shutil.rmtree(suite / "recordings")
    async with editor(tmp_path, settings={"run": {}}) as it:
        user = User(it, "Run with Mock")
        it.open(task_file(suite))
        answer = await run(it)
        assert (answer["status"], "unavailable" in answer) == ("failed", False)
        assert user.asked[0][1][0] == "Run with Mock"


@pytest.mark.slow
async def test_a_dismissed_question_ends_the_run_and_an_unknown_executor_asks_too(
    tmp_path: Path, suite: Path
) -> None:
    async with editor(tmp_path, settings={"run": {"executor": "nobody"}}) as it:
        user = User(it)
        it.open(task_file(suite))
        answer = await run(it)
        assert (answer["status"], answer["unavailable"]["executor"]) == ("error", "nobody")
        assert user.asked == [("Unknown executor 'nobody'.", ["Run with Recordings", "Mock", "Agent..."])]


@pytest.mark.slow
@pytest.mark.parametrize("acts", [True, False])
async def test_the_packages_to_install_are_named_with_versions(
    tmp_path: Path, suite: Path, acts: bool
) -> None:
    async with editor(tmp_path, settings={"run": {}}, editorActions=acts) as it:
        user = User(it, "Install...", "Run Again")
        it.open(task_file(suite))
        assert (await run(it))["status"] == "error"
        told = user.actions[0]["command"] if acts else user.asked[1][0]
        assert "-m pip install github-copilot-sdk==" in told
        assert "waza-lsp" not in told.partition(" -m ")[2]
        # It ran again, and asked again, because nothing was installed.
        assert [message for message, _ in user.asked].count(NOT_INSTALLED) == 2


def agent(folder: Path, name: str, text: str) -> None:
    program = folder / name
    program.write_text(f'#!/bin/sh\necho "$@ {text}"\n', encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.slow
async def test_an_agent_of_the_path_is_chosen_and_kept(tmp_path: Path, suite: Path, machine: Path) -> None:
    agent(machine, "claude", "says jitter")
    async with editor(tmp_path, settings={"run": {}}, editorActions=True) as it:
        user = User(it, "Agent...", "Claude Code", "Keep in Settings")
        it.open(task_file(suite))
        answer = await run(it)
        assert answer["status"] == "failed"
        assert user.asked[1] == ("Which agent runs the tasks?", ["Claude Code", "Own Command..."])
        assert user.asked[2][0].startswith("Claude Code runs as: claude -p {prompt}")
        assert user.actions == [
            {
                "action": "saveSetting",
                "name": "waza.run.agentCommand",
                "value": user.asked[2][0].partition(": ")[2],
            }
        ]
        # Kept: the next run asks nothing.
        assert (await run(it))["status"] == "failed"
        assert len(user.asked) == 3


@pytest.mark.slow
async def test_an_own_command_is_a_setting(tmp_path: Path, suite: Path, machine: Path) -> None:
    agent(machine, "my-agent", "says jitter")
    async with editor(tmp_path, settings={"run": {}}) as it:
        user = User(it, "Agent...", "Own Command...")
        it.open(task_file(suite))
        assert (await run(it))["status"] == "error"
        assert user.asked[1][0] == "No known agent is on the PATH."
        await until(lambda: any("Set waza.run.agentCommand" in one for one in it.messages))
    settings = {"run": {"agentCommand": "my-agent --print {prompt}"}}
    async with editor(tmp_path, settings=settings) as it:
        user = User(it)
        it.open(task_file(suite))
        assert (await run(it))["tasks"][0]["graders"]
        assert not user.asked


@pytest.mark.slow
async def test_an_editor_that_cannot_ask_gets_the_whole_message(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"run": {}}) as it:
        it.open(task_file(suite))
        assert (await run(it))["status"] == "error"
        await until(lambda: any("-m pip install github-copilot-sdk==" in one for one in it.messages))


@pytest.mark.slow
async def test_a_long_message_says_first_what_is_wrong_and_leads_to_the_log(
    tmp_path: Path, suite: Path
) -> None:
    text = (suite / "eval.yaml").read_text(encoding="utf-8")
    (suite / "eval.yaml").write_text(text.replace("regex_not_match", "regex_not_macth"), encoding="utf-8")
    async with editor(tmp_path, editorActions=True) as it:
        user = User(it, "Show Logs")
        it.open(task_file(suite))
        assert (await run(it))["status"] == "error"
        await until(lambda: user.actions)
        assert user.actions == [{"action": "showLogs"}]
        [(message, titles)] = user.asked
        assert message == "Unknown key 'regex_not_macth'. Did you mean 'regex_not_match'? (eval.yaml:41:7)"
        assert titles == ["Show Logs"]


@pytest.mark.slow
async def test_an_untrusted_workspace_leads_to_its_trust(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, trusted=False, editorActions=True) as it:
        user = User(it, "Manage Trust")
        it.open(task_file(suite))
        assert await run(it) is None
        await until(lambda: user.actions)
        assert user.actions == [{"action": "manageTrust"}]
        assert user.asked == [("This workspace is not trusted: nothing is executed.", ["Manage Trust"])]
