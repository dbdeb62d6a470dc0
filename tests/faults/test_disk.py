"""Full disks, unwritable reports, closed output: finished work stays, and messages say what to do."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.faults.leftovers import finished
from tests.faults.small_disk import mounted
from tests.faults.suites import Case
from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.runs.store.store import StoreError
from waza_lsp.cli import main

CASE = Case("waza", "mock", trials=2)
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    CASE.written(tmp_path)
    return tmp_path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 64 kB, with a dozen files at most."""
    with mounted(tmp_path / "small", "size=64k,nr_inodes=12") as place:
        yield place


def waza_lsp(
    folder: Path, line: str, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which `waza-lsp` is the program."""
    ended = subprocess.run(
        ["/bin/sh", "-c", f'waza() {{ "{sys.executable}" -m waza_lsp "$@"; }}; {line}'],
        cwd=folder,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    return ended


@pytest.mark.slow
@needs_full
def test_a_full_disk_under_the_output_loses_no_run(folder: Path) -> None:
    for unbuffered in ("", "1"):
        ended = waza_lsp(folder, "waza run eval.yaml >/dev/full", {"PYTHONUNBUFFERED": unbuffered})
        assert ended.returncode == 2
        assert "error: The output cannot be written: No space left on device" in ended.stderr
        assert "The run is in the store. Report it again with: waza-lsp report 20" in ended.stderr
    ended = waza_lsp(folder, "waza run eval.yaml --events jsonl >/dev/full")
    assert ended.returncode == 0
    assert "warning: The events cannot be written: No space left on device. The run goes on" in ended.stderr
    ended = waza_lsp(folder, "waza run eval.yaml 2>/dev/full")
    assert (ended.returncode, "4 of 4 tasks passed" in ended.stdout) == (0, True)
    assert finished(folder / ".waza-lsp") == [CASE.wanted] * 4
    for command in ("report", "run --help"):
        ended = waza_lsp(folder, f"waza {command} >/dev/full")
        assert ended.returncode == 2
        assert "error: The output cannot be written: No space left on device" in ended.stderr


@pytest.mark.slow
def test_a_run_goes_on_when_nobody_watches_it(folder: Path) -> None:
    ended = waza_lsp(folder, "{ waza run eval.yaml 2>&1; echo $? >status; } | head -1")
    assert ended.stdout.startswith("Running 4 tasks")
    assert (folder / "status").read_text() == "0\n"
    ended = waza_lsp(folder, "waza run eval.yaml <&- >&- 2>&-; echo $? >status")
    assert (folder / "status").read_text() == "0\n"
    assert finished(folder / ".waza-lsp") == [CASE.wanted] * 2


def test_a_directory_that_is_gone_is_named(folder: Path) -> None:
    (folder / "gone").mkdir()
    ended = waza_lsp(folder, "cd gone; rmdir ../gone; waza run ../eval.yaml")
    assert ended.returncode == 2
    assert ended.stderr == "error: The current directory no longer exists; change to one that does\n"


def test_no_room_for_workspaces_is_an_error_of_the_trials(folder: Path, small_disk: Path) -> None:
    (small_disk / "big").write_bytes(bytes(50_000))
    for number in range(9):
        (small_disk / f"file {number}").touch()
    ended = waza_lsp(folder, "waza run eval.yaml", {"TMPDIR": str(small_disk)})
    # Python looks for another temporary folder when the one that it is told of takes no file.
    # The agent did nothing wrong: the trials could not be judged.
    assert ended.returncode in {0, 3}, ended.stderr
    assert ended.returncode == 0 or "No space left on device" in ended.stderr
    assert finished(folder / ".waza-lsp") == [CASE.wanted]


REPORTS = (
    ("--output", "results.json"),
    ("--junit", "junit.xml"),
    ("--html", "page.html"),
    ("--github", "s.md"),
)


@pytest.mark.parametrize(("option", "name"), REPORTS)
def test_a_report_that_does_not_fit_leaves_the_old_one(
    folder: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch, option: str, name: str
) -> None:
    monkeypatch.chdir(folder)
    old = small_disk / name
    old.write_text("the old report")
    (small_disk / "big").write_bytes(bytes(60_000))
    result = CliRunner().invoke(main, ["run", "eval.yaml", option, str(old)])
    assert result.exit_code == 2
    assert f"error: {old}: cannot be written: No space left on device" in result.stderr
    assert old.read_text() == "the old report"
    assert [it.name for it in small_disk.iterdir()] in ([name, "big"], ["big", name])
    (small_disk / "big").unlink()
    assert CliRunner().invoke(main, ["run", "eval.yaml", option, str(old)]).exit_code == 0
    assert old.read_text() != "the old report"


def test_a_limit_on_file_sizes_leaves_the_old_report(tmp_path: Path) -> None:
    # The same without a mount: some other process has filled the quota.
    code = (
        "import resource, signal, sys; from pathlib import Path; from waza_engine.lib.files.safe_write import write_text_atomic\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_text_atomic(Path(sys.argv[1]), ('x' * 100 for _ in range(100)))\n"
        "except OSError as error: print(error.strerror)"
    )
    assert resource.RLIMIT_FSIZE >= 0
    page = tmp_path / "page.html"
    page.write_text("old")
    ended = subprocess.run(
        [sys.executable, "-c", code, str(page)], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout == "File too large\n"
    assert [(it.name, it.read_text()) for it in tmp_path.iterdir()] == [("page.html", "old")]


def test_a_report_that_cannot_be_made_leaves_the_old_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("old")

    def broken() -> Iterator[str]:
        yield "new"
        raise StoreError("the store is gone")

    with pytest.raises(StoreError):
        write_text_atomic(page, broken())
    assert [(it.name, it.read_text()) for it in tmp_path.iterdir()] == [("page.html", "old")]


def test_a_new_report_has_the_rights_and_the_place_of_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    page, link = tmp_path / "real" / "page.html", tmp_path / "link.html"
    page.write_text("old")
    page.chmod(0o640)
    link.symlink_to(page)
    write_text_atomic(link, ["new"])
    assert (link.is_symlink(), page.read_text(), page.stat().st_mode & 0o777) == (True, "new", 0o640)
    # File systems count bytes.
    for name in ("x" * 250, "\N{CJK UNIFIED IDEOGRAPH-5B57}" * 84):
        other = tmp_path / "folder" / name
        write_text_atomic(other, ["new"])
        assert other.read_text() == "new"
        assert other.stat().st_mode & 0o777 == 0o666 & ~_mask()


def test_a_new_file_is_never_open_to_more_people_than_the_old_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("old")
    page.chmod(0o600)
    modes = set[int]()

    def text() -> Iterator[str]:
        modes.update(it.stat().st_mode & 0o777 for it in tmp_path.iterdir())
        yield "new"

    write_text_atomic(page, text())
    assert (page.read_text(), modes) == ("new", {0o600})


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
