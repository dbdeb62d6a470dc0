"""Tests of the replay executor; every error names the recording's file."""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_engine.executors.base import (
    ExecutorError,
    ExecutorOptions,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
)
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "recordings").mkdir()
    return tmp_path / "recordings"


def record(folder: Path, name: str, **data: Any) -> None:
    (folder / name).write_text(json.dumps({"version": 1, **data}), encoding="utf-8")


async def replay(folder: Path, task_id: str, trial: int = 1) -> Trajectory:
    executor = ReplayExecutor(ExecutorOptions(folder.parent))
    await executor.start()
    return await executor.run(TrialRequest(Task(task_id, "", "p"), trial, folder), print)


async def test_a_numbered_recording_takes_precedence(folder: Path) -> None:
    record(folder, "a.json", output="any")
    record(folder, "a.2.json", output="second", files={"x.txt": "y"})
    assert (await replay(folder, "a", 1)).output == "any"
    second = await replay(folder, "a", 2)
    assert (second.output, second.files) == ("second", {"x.txt": "y"})
    assert (await replay(folder, "a", 3)).output == "any"


async def test_a_recording_of_another_task_is_ignored(folder: Path) -> None:
    record(folder, "p.2.json", task="p", output="second of p")
    record(folder, "p.json", task="p", output="p")
    assert (await replay(folder, "p", 2)).output == "second of p"
    with pytest.raises(ExecutorError, match="No recording for task"):
        await replay(folder, "p.2", 1)
    record(folder, "p.2.json", task="p.2", output="p.2")
    assert [(await replay(folder, "p", 2)).output, (await replay(folder, "p.2", 2)).output] == ["p", "p.2"]


async def test_a_recording_may_be_renamed_with_its_task(folder: Path) -> None:
    record(folder, "new.json", task="old", output="kept")
    assert (await replay(folder, "new")).output == "kept"


async def test_a_missing_recording_is_reported_with_a_remedy(folder: Path) -> None:
    with pytest.raises(ExecutorError) as error:
        await replay(folder, "sort-list", 2)
    assert str(folder / "sort-list.2.json") in str(error.value)
    assert str(folder / "sort-list.json") in str(error.value)
    assert "--record" in str(error.value)


async def test_another_folder_can_be_named(tmp_path: Path) -> None:
    record(tmp_path, "a.json", output="elsewhere")
    executor = ReplayExecutor(ExecutorOptions(Path("/nowhere"), recordings=tmp_path))
    await executor.start()
    done = await executor.run(TrialRequest(Task("a", "", "p"), 1, tmp_path), print)
    assert done.output == "elsewhere"


async def test_no_folder_at_all_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="--recordings DIR"):
        await ReplayExecutor(ExecutorOptions(tmp_path)).start()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not valid JSON"),
        ("[1]", "wrong value"),
        ('{"output": {"a": 1}}', "wrong value at output"),
        ('{"version": 2}', "version 2"),
        ("[" * 100_000, "is not valid JSON"),
    ],
)
async def test_a_broken_recording_is_explained(folder: Path, text: str, message: str) -> None:
    (folder / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(ExecutorError, match=message) as error:
        await replay(folder, "a")
    assert str(folder / "a.json") in str(error.value)


async def test_bytes_that_are_no_utf8_are_explained(folder: Path) -> None:
    (folder / "a.json").write_bytes(b'{"output": "\xff"}')
    with pytest.raises(ExecutorError, match="is not valid JSON"):
        await replay(folder, "a")


async def test_half_characters_become_replacement_characters(folder: Path) -> None:
    (folder / "a.json").write_text('{"output": "x\\ud800y \\ud83d\\ude00"}', encoding="utf-8")
    assert (await replay(folder, "a")).output == "x\ufffdy \U0001f600"


@pytest.mark.parametrize("task_id", ["../a", "/etc/passwd", "a\0b"])
async def test_a_task_id_cannot_lead_out_of_the_folder(folder: Path, task_id: str) -> None:
    record(folder.parent, "a.json", output="secret")
    with pytest.raises(ExecutorError, match="leads out"):
        await replay(folder, task_id)


async def triggered(folder: Path, prompt: str) -> bool:
    return await ReplayExecutor(ExecutorOptions(folder.parent)).triggered(
        TriggerRequest(prompt, "notes", should_trigger=True)
    )


async def test_triggers_come_from_their_own_file(folder: Path) -> None:
    record(
        folder,
        "triggers.json",
        prompts={"take notes": {"skills": ["other", "notes"]}, "weather": {"skills": []}},
    )
    assert await triggered(folder, "take notes") is True
    assert await triggered(folder, "weather") is False
    with pytest.raises(ExecutorError, match="has no entry for this prompt"):
        await triggered(folder, "unheard of")


async def test_without_a_triggers_file_no_prompt_can_be_asked(folder: Path) -> None:
    with pytest.raises(UnavailableError, match=r"triggers\.json"):
        await triggered(folder, "take notes")
