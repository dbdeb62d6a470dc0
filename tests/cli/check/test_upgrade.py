"""`waza-lsp check --upgrade`: what a newer version of the runner breaks, and what `--fix` makes of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine.recognition.recognise import releases
from waza_lsp.cli import main

OLD = """\
# our notes
name: notes
config:  # of all runs
  runs: 2   # twice
  executor: ""

stimuli:
  - name: a
    prompt: Summarise the notes.
    graders:
      - type: output-contains
        config: {substring: decision}  # é
"""
NEW = OLD.replace("config:  # of", "defaults:  # of").replace('  executor: ""\n', "")
FINE = NEW.replace("notes", "others")
NEWEST = releases("vally").newest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("old.eval.yaml", OLD)
    write("sub/fine.eval.yaml", FINE)
    return tmp_path


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def read(name: str) -> str:
    return Path(name).read_bytes().decode()


def check(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["check", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def report(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(check("--format", "json", *arguments).stdout)
    return found


def test_what_breaks_is_listed_file_by_file_and_counted() -> None:
    result = check("--upgrade", f"vally@{NEWEST}")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "old.eval.yaml: 2 places to change"
    assert lines[1].startswith("  3:1: [legacy-shape] ")
    assert lines[1].endswith(" Fix: Change to 'defaults'")
    assert lines[2].startswith("  5:13: [removed-form] ")
    assert f"vally {NEWEST} breaks 1 file (2 files of vally checked)" in lines
    assert "  removed-form: 1 place in 1 file, 1 with a mechanical fix" in lines
    assert result.stdout.endswith(f'\n[vally]\ntarget = "{NEWEST}"\n')


def test_without_a_version_the_newest_is_meant() -> None:
    assert report("--upgrade", "vally")["upgrade"] == {"dialect": "vally", "version": NEWEST}


def test_the_json_report() -> None:
    found = report("--upgrade", "vally@0.15")
    [file] = found["files"]
    assert (file["path"], file["target"], file["removed"]) == ("old.eval.yaml", "", [])
    assert [(it["code"], it["fix"]) for it in file["findings"]] == [
        ("legacy-shape", "Change to 'defaults'"),
        ("removed-form", "Remove 'executor'"),
    ]
    assert file["findings"][0]["range"]["start"] == {"line": 2, "character": 0}
    assert found["summary"] == {"files": 2, "current": 0, "broken": 1, "findings": 2, "mechanical": 2}
    assert {it["code"]: it["findings"] for it in found["causes"]} == {"legacy-shape": 1, "removed-form": 1}


@pytest.mark.parametrize(("version", "count"), [("0.13", 0), ("0.14", 1), ("0.15", 2), ("0.15.0", 2)])
def test_only_what_the_version_refuses_counts(version: str, count: int) -> None:
    assert report("--upgrade", f"vally@{version}")["summary"]["findings"] == count
    assert check("--upgrade", f"vally@{version}").exit_code == (1 if count else 0)


def test_what_the_present_version_refuses_already_does_not_count() -> None:
    write(".waza-lsp.toml", 'target = "0.14"\n[vally]\ntarget = "0.14"\n')
    found = report("--upgrade", "vally@0.15")
    [file] = found["files"]
    assert (file["target"], [it["code"] for it in file["findings"]]) == ("0.14", ["legacy-shape"])


def test_a_project_that_uses_the_version_already_is_left_alone() -> None:
    write("sub/.waza-lsp.toml", 'target = "0.19"\n[vally]\ntarget = "0.19"\n')
    write("sub/old.eval.yaml", OLD)
    found = report("--upgrade", "vally@0.16")
    assert [it["path"] for it in found["files"]] == ["old.eval.yaml"]
    assert found["summary"]["current"] == 2


def test_levels_of_the_project_do_not_hide_what_breaks() -> None:
    write(".waza-lsp.toml", '[rules]\nremoved-form = "off"\nlegacy-shape = "hint"\n')
    assert report("--upgrade", "vally")["summary"]["findings"] == 2


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_mechanical_fixes_keep_comments_and_layout(end: str) -> None:
    write("old.eval.yaml", OLD.replace("\n", end))
    shown = check("--upgrade", "vally", "--diff")
    assert (shown.exit_code, "+defaults:  # of all runs" in shown.stdout) == (1, True)
    assert read("old.eval.yaml") == OLD.replace("\n", end)
    result = check("--upgrade", "vally", "--fix")
    assert (result.exit_code, read("old.eval.yaml")) == (0, NEW.replace("\n", end))
    assert "old.eval.yaml: fixed 1 legacy-shape, 1 removed-form" in result.stderr
    assert report("--upgrade", "vally")["files"] == []
    assert check("--upgrade", "vally", "--diff").exit_code == 0


def test_files_of_other_dialects_are_not_checked() -> None:
    found = report("--upgrade", "waza")
    assert found["summary"]["files"] == 0
    assert check("--upgrade", "waza").exit_code == 0


def test_standard_input_is_fixed_on_standard_output() -> None:
    result = CliRunner().invoke(
        main, ["check", "--upgrade", "vally", "--fix", "--stdin-filename", "old.eval.yaml"], input=OLD
    )
    assert (result.exit_code, result.stdout) == (0, NEW)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("vally@9.0", "vally 9.0 is unknown to this version of waza-lsp"),
        ("vally@new", "'new' is not a version"),
        ("vally@", "'' is not a version"),
        ("other@1.0", "'other' is not one of vally, waza"),
        ("", "'' is not one of"),
    ],
)
def test_a_version_that_makes_no_sense(wanted: str, told: str) -> None:
    result = check("--upgrade", wanted)
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr


def test_other_formats_are_refused() -> None:
    result = check("--upgrade", "vally", "--format", "sarif")
    assert (result.exit_code, "--upgrade prints text or json, not sarif" in result.stderr) == (2, True)
