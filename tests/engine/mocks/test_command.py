"""Tests of mocked programs: which response matches a call, and that an agent gets it."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from waza_engine.mocks.command import matching_response
from waza_engine.mocks.install import install_mocks
from waza_engine.model.suite import CommandMock

RESPONSES: list[dict[str, Any]] = [
    {"args": ["get", "pods"], "stdout": "pod-1\n"},
    {"args_regex": ["delete", "pod-[0-9]+"], "stderr": "locked\n", "exit_code": 3},
    {"args": ["apply"], "environment": {"STAGE": "test"}, "stdout": "tested"},
    {"args": ["apply"], "workdir": "deploy/", "stdout": "there"},
]


@pytest.mark.parametrize(
    ("arguments", "environment", "directory", "index"),
    [
        (["get", "pods"], {}, ".", 0),
        (["get"], {}, ".", -1),
        (["delete", "pod-12"], {}, ".", 1),
        (["delete", "my-pod-12"], {}, ".", -1),
        (["delete", "pod-12", "--force"], {}, ".", -1),
        (["apply"], {"STAGE": "test"}, ".", 2),
        (["apply"], {"STAGE": "live"}, "deploy", 3),
        (["apply"], {}, "elsewhere", -1),
    ],
)
def test_the_first_matching_response(
    arguments: list[str], environment: dict[str, str], directory: str, index: int
) -> None:
    assert matching_response(RESPONSES, arguments, environment, directory) == index


def test_the_program_is_on_the_path_and_logs_its_calls(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('wrong module')", encoding="utf-8")
    with install_mocks([CommandMock("kubectl", tuple(RESPONSES))], (), tmp_path, os.environ["PATH"]) as mocks:
        environment = {**os.environ, **mocks.environment}

        def call(*arguments: str) -> tuple[int, str, str]:
            done = subprocess.run(
                ["kubectl", *arguments],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout, done.stderr

        assert call("get", "pods") == (0, "pod-1\n", "")
        assert call("delete", "pod-1") == (3, "", "locked\n")
        code, _, stderr = call("what's", "$this")
        assert (code, "no mocked response matches" in stderr) == (127, True)
        calls = [(it.command, it.args, it.exit_code, it.response_index) for it in mocks.invocations()]
    assert calls == [
        ("kubectl", ["get", "pods"], 0, 0),
        ("kubectl", ["delete", "pod-1"], 3, 1),
        ("kubectl", ["what's", "$this"], 127, -1),
    ]
    assert not mocks.folder.exists()


def test_each_call_takes_the_next_step_of_a_sequence(tmp_path: Path) -> None:
    steps = [{"stderr": "busy", "exit_code": 1}, {"stdout": "ok", "delay_ms": 200}]
    responses = ({"args": ["other"], "stdout": "x"}, {"args": ["get"], "sequence": steps})
    with install_mocks([CommandMock("kubectl", responses)], (), tmp_path, os.environ["PATH"]) as mocks:
        environment = {**os.environ, **mocks.environment}

        def call(argument: str) -> tuple[int, str, str]:
            done = subprocess.run(
                ["kubectl", argument],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout, done.stderr

        assert call("get") == (1, "", "busy")
        assert call("other") == (0, "x", "")
        before = time.monotonic()
        assert call("get") == (0, "ok", "")
        assert time.monotonic() - before > 0.2
        assert [call("other"), call("get")] == [
            (0, "x", ""),
            (127, "", "kubectl: the mocked sequence is exhausted: no step is left for this call\n"),
        ]
        assert [(it.response_index, it.exit_code) for it in mocks.invocations()][-1] == (1, 127)
    with install_mocks([CommandMock("kubectl", responses)], (), tmp_path, os.environ["PATH"]) as mocks:
        environment = {**os.environ, **mocks.environment}
        assert call("get") == (1, "", "busy")


def test_calls_in_parallel_get_different_steps(tmp_path: Path) -> None:
    steps = [{"stdout": str(number)} for number in range(6)]
    mock = CommandMock("kubectl", ({"args": [], "sequence": steps},))
    with install_mocks([mock], (), tmp_path, os.environ["PATH"]) as mocks:
        environment = {**os.environ, **mocks.environment}
        running = [
            subprocess.Popen(["kubectl"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
            for _ in steps
        ]
        assert sorted(it.communicate()[0] for it in running) == ["0", "1", "2", "3", "4", "5"]
