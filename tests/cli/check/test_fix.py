"""`waza-lsp check --fix` and `--diff`: what is written, what is said, and the exit status."""

import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

GOOD = """\
name: notes
skill: notes
config:
  trials_per_task: 1  # one is enough
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: [tasks/*.yaml]
graders:
  - type: text
    name: greets
    config:
      contains: [hello]
"""
BAD = (
    GOOD.replace("1  #", '"1"  #')
    .replace("contains: [hello]", "contians: hello")
    .replace("type: text", "type: txet")
)
TASK = "id: one\nname: one\ninputs: {prompt: hi}\n"


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a task."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/one.yaml").write_bytes(TASK.encode())
    return tmp_path


def _check(*arguments: str, stdin: bytes | None = None) -> Result:
    result = CliRunner().invoke(main, ["check", *arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_is_safe_is_fixed_and_all_else_stays(suite: Path, end: str, mark: bytes) -> None:
    path = suite / "eval.yaml"
    path.write_bytes(mark + BAD.replace("\n", end).encode())
    path.chmod(0o640)
    result = _check("--fix")
    assert path.read_bytes() == mark + GOOD.replace("\n", end).encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert result.exit_code == 0
    assert result.stderr == "eval.yaml: fixed 1 unknown-grader-type, 1 unknown-key, 1 wrong-type\n"
    assert sorted(it.name for it in suite.iterdir()) == ["eval.yaml", "tasks"]


def test_what_is_left_is_reported(suite: Path) -> None:
    (suite / "eval.yaml").write_text(BAD.replace("  model: gpt-4o\n", "").replace("mock", "zzz"))
    result = _check("--fix")
    assert result.exit_code == 1
    assert "unknown-value" in result.stdout
    assert "unknown-key" not in result.stdout


def test_a_link_stays_a_link(suite: Path) -> None:
    (suite / "elsewhere").mkdir()
    target = suite / "elsewhere/real.yaml"
    target.write_text(BAD)
    (suite / "eval.yaml").symlink_to(target)
    _check("--fix", "eval.yaml")
    assert (suite / "eval.yaml").is_symlink()
    assert target.read_text() == GOOD


def test_only_the_codes_asked_for_are_fixed(suite: Path) -> None:
    path = suite / "eval.yaml"
    path.write_text(GOOD.replace("1  #", '"1"  #').replace("contains", "contians"))
    _check("--fix", "--select", "wrong-type")
    assert path.read_text() == GOOD.replace("contains", "contians")
    _check("--fix", "--ignore", "unknown-key")
    assert path.read_text() == GOOD.replace("contains", "contians")


def test_a_good_file_is_not_written(suite: Path) -> None:
    path = suite / "eval.yaml"
    path.write_text(GOOD)
    before = path.stat().st_ino, path.stat().st_mtime_ns
    assert _check("--fix").stderr == ""
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == before


def test_a_patch_changes_nothing(suite: Path) -> None:
    path = suite / "eval.yaml"
    path.write_text(BAD)
    result = _check("--diff")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- eval.yaml\n+++ eval.yaml\n@@")
    assert "-      contians: hello\n+      contains: [hello]\n" in result.stdout
    assert path.read_text() == BAD
    path.write_text(GOOD)
    assert (_check("--diff").stdout, _check("--diff").exit_code) == ("", 0)


def test_patch_takes_a_patch_of_a_name_with_blanks(suite: Path) -> None:
    path = suite / "sp ace.eval.yaml"
    path.write_text(BAD)
    text = _check("--diff").stdout
    assert text.startswith("--- sp ace.eval.yaml\t\n+++ sp ace.eval.yaml\t\n@@")
    if shutil.which("patch"):
        subprocess.run(["patch", "-p0", "-s"], input=text, text=True, cwd=suite, check=True)
        assert path.read_text() == GOOD


def test_a_patch_has_the_lines_that_other_programs_see(suite: Path) -> None:
    (suite / "eval.yaml").write_text(
        BAD.replace("graders:", "# one\u2028two\x0cthree\ngraders:"), encoding="utf-8"
    )
    result = _check("--diff")
    assert "# one\u2028two\x0cthree\n" in result.stdout
    assert "No newline" not in result.stdout


def test_a_folder_that_cannot_be_written(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = suite / "eval.yaml"
    path.write_text(BAD)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    result = _check("--fix")
    assert result.exit_code == 2
    assert "eval.yaml cannot be written: Permission denied" in result.stderr
    assert path.read_text() == BAD
    assert sorted(it.name for it in suite.iterdir()) == ["eval.yaml", "tasks"]


def test_standard_input_comes_back_fixed() -> None:
    result = _check("--fix", "--stdin-filename", "eval.yaml", stdin=BAD.replace("\n", "\r\n").encode())
    assert result.stdout_bytes == GOOD.replace("\n", "\r\n").encode()
    assert "fixed 1 unknown-grader-type" in result.stderr
