"""Mocked programs become files on the agent's PATH: a name that is a path would be written anywhere."""

from pathlib import Path

import pytest

from tests.hostility.bait import Victim
from tests.slow import first_quick
from waza_engine.mocks.install import install_mocks
from waza_engine.model.suite import CommandMock, McpMock

MOCKS = "command_mocks: [{{name: '{}', responses: [{{args: [a]}}]}}]\n"
NAMES = ["OUTSIDE", "../../outside/secret.txt", "../evil", "..", "a/b", "-x", ""]


@pytest.mark.parametrize(
    ("name", "of_task"), first_quick([(NAMES[0], False), (NAMES[1], True), (NAMES[2], True)])
)
def test_a_mock_cannot_be_called_like_a_file_somewhere_else(name: str, of_task: bool, victim: Victim) -> None:
    mocks = MOCKS.format(name.replace("OUTSIDE", str(victim.outside)))
    victim.write_suite(**{"task" if of_task else "eval_keys": "inputs: {prompt: a}\n" * of_task + mocks})
    text = victim.eval_file.read_text(encoding="utf-8")
    victim.eval_file.write_text(text.replace("executor: mock", "executor: command"), encoding="utf-8")
    done = victim.call("run", "eval.yaml", "--agent-command", "echo hi")
    assert done.returncode == 2
    assert "must be letters, digits" in done.stderr
    assert victim.is_unharmed()
    assert victim.call("check").returncode == 1


@pytest.mark.parametrize("name", [*NAMES, "a\0b", "a\n"])
def test_no_program_is_put_up_under_such_a_name(name: str, victim: Victim) -> None:
    mock = CommandMock(name.replace("OUTSIDE", str(victim.outside)))
    with (
        pytest.raises(ValueError, match="not a valid name of a program"),
        install_mocks([mock], (), victim.workspace, ""),
    ):
        pass
    assert victim.is_unharmed()


@pytest.mark.parametrize("name", ["../evil", "/evil", "a\0b", "x" * 500])
def test_a_server_may_be_called_anything_and_stands_in_its_folder(name: str, victim: Victim) -> None:
    with install_mocks((), [McpMock(name)], victim.workspace, "") as mocks:
        [file] = mocks.folder.iterdir()
        assert mocks.servers[name]["args"][-1] == str(file)
        folder: Path = mocks.folder
    assert not folder.exists()
