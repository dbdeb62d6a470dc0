"""The `program` grader: exit status, environment, directories, time limits."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.formats.loading.project_file import program_timeout
from waza_engine.dialects.waza.graders.program import ProgramGrader
from waza_engine.graders.base import GraderResult, GradingContext

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs are those of POSIX")


def graded(tmp_path: Path, script: str, *, timeout: int = 0, **context: Any) -> GraderResult:
    grader = ProgramGrader(command="sh", args=["-c", script], timeout=timeout)
    return grader.grade(GradingContext(process_dir=tmp_path, **context))


def test_status_0_passes_with_its_trimmed_output(tmp_path: Path) -> None:
    result = graded(tmp_path, "printf '  fine \\n\\n'; echo warn >&2")
    assert (result.score, result.passed, result.feedback) == (1.0, True, "fine")
    assert result.details == {
        "command": "sh",
        "args": ["-c", "printf '  fine \\n\\n'; echo warn >&2"],
        "stdout": "fine",
        "stderr": "warn",
        "workspace_dir": "",
    }


def test_another_status_fails_with_the_error_and_stderr(tmp_path: Path) -> None:
    result = graded(tmp_path, "echo out; echo bad >&2; exit 3")
    assert (result.score, result.passed) == (0.0, False)
    assert result.feedback == "'sh' exited with status 3: bad"
    assert result.details is not None
    assert result.details["exit_error"] == "exited with status 3"


def test_a_signal_and_a_missing_program_fail_too(tmp_path: Path) -> None:
    assert graded(tmp_path, "kill -9 $$").feedback == "'sh' was killed by signal 9"
    for command in ("no-such-program", "sh -c true", "./not-there", "a\0b"):
        result = ProgramGrader(command=command).grade(GradingContext(process_dir=tmp_path))
        assert (result.score, result.passed) == (0.0, False)
        assert "could not be started" in result.feedback


def test_a_file_without_execute_permission_or_program_text_fails(tmp_path: Path) -> None:
    (tmp_path / "plain.sh").write_text("#!/bin/sh\n")
    (tmp_path / "no-shebang").write_text("true\n")
    (tmp_path / "no-shebang").chmod(0o755)
    for command in ("./plain.sh", "./no-shebang", "."):
        assert not ProgramGrader(command=command).grade(GradingContext(process_dir=tmp_path)).passed


def test_it_starts_in_the_process_directory_and_knows_the_workspace(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    result = graded(tmp_path, 'pwd; echo "$WAZA_WORKSPACE_DIR"', workspace_dir=workspace)
    assert result.feedback.splitlines() == [str(tmp_path), str(workspace)]
    assert graded(tmp_path, '[ -z "$WAZA_WORKSPACE_DIR" ]').passed


def test_a_relative_command_starts_from_the_process_directory(tmp_path: Path) -> None:
    (tmp_path / "ok.sh").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "ok.sh").chmod(0o755)
    assert ProgramGrader(command="./ok.sh").grade(GradingContext(process_dir=tmp_path)).passed


def test_the_usual_variables_and_those_of_the_user_are_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In waza, programs get the whole environment, and with it the keys of judges."""
    monkeypatch.setenv("MY_SETTING", "here")
    monkeypatch.setenv("LC_ALL", "C")
    assert graded(tmp_path, "echo $LC_ALL $MY_SETTING.").feedback == "C ."
    monkeypatch.setenv("WAZA_LSP_PASS_ENV", "OTHER, MY_*")
    assert graded(tmp_path, "echo $LC_ALL $MY_SETTING.").feedback == "C here."


def test_stdin_is_the_output_and_nothing_else(tmp_path: Path) -> None:
    assert graded(tmp_path, "wc -c | tr -d ' '", output="é\n").feedback == "3"


def test_the_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    started = time.monotonic()
    result = graded(tmp_path, "trap '' TERM; echo partial; sleep 30 & wait", timeout=1)
    assert time.monotonic() - started < 5
    assert (result.score, result.passed) == (0.0, False)
    assert result.feedback == "'sh' took longer than 1 s and was stopped"
    assert result.details is not None
    assert result.details["stdout"] == "partial"


def test_a_flood_of_output_is_cut_off(tmp_path: Path) -> None:
    result = graded(tmp_path, "head -c 5000000 /dev/zero | tr '\\0' x")
    assert result.passed
    assert len(result.feedback) == 1_000_000


@pytest.mark.parametrize(
    "config", [{}, {"command": ""}, {"command": "a", "timeout": "10"}, {"command": "a", "args": "b"}]
)
def test_a_config_that_waza_refuses_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ProgramGrader.model_validate(config)


def test_the_default_time_limit_is_that_of_the_nearest_project_file(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".waza.yaml").write_text("graders:\n  programTimeout: 7\n")
    assert program_timeout(deep) == 7
    (tmp_path / "a" / ".waza.yaml").write_text("graders:\n  programTimeout: 9\n")
    assert program_timeout(deep) == 9
    (tmp_path / "a" / ".waza.yaml").write_text("graders: [\n")
    assert program_timeout(deep) == 30


def test_the_search_for_the_project_file_ends_after_ten_directories(tmp_path: Path) -> None:
    (tmp_path / ".waza.yaml").write_text("graders: {programTimeout: 7}\n")
    ninth = tmp_path.joinpath(*"123456789")
    tenth = ninth / "10"
    tenth.mkdir(parents=True)
    assert program_timeout(ninth) == 7
    assert program_timeout(tenth) == 30


def test_the_project_s_time_limit_holds_for_programs_without_one(tmp_path: Path) -> None:
    (tmp_path / ".waza.yaml").write_text("graders: {programTimeout: 1}\n")
    assert "took longer than 1 s" in graded(tmp_path, "sleep 30").feedback
