"""`waza-lsp check`: which files, what is said, and the exit status."""

import json
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

EVAL = """\
name: notes
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: [tasks/*.yaml]
"""
TASK = "id: one\nname: one\ninputs: {prompt: hi}\nexpected: {output_contains: [hi]}\n"
TYPO = "gradres: []\n"


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an eval without findings."""
    monkeypatch.chdir(tmp_path)
    write("eval.yaml", EVAL)
    write("tasks/one.yaml", TASK)
    return tmp_path


def write(name: str, text: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def check(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, ["check", *arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def found(*arguments: str, stdin: str | bytes | None = None) -> list[dict[str, Any]]:
    result = check("--format", "json", *arguments, stdin=stdin)
    diagnostics: list[dict[str, Any]] = json.loads(result.stdout)["diagnostics"]
    assert result.exit_code == (1 if any(it["severity"] == "error" for it in diagnostics) else 0)
    return diagnostics


def codes(*arguments: str, stdin: str | bytes | None = None) -> list[str]:
    return [it["code"] for it in found(*arguments, stdin=stdin)]


def test_pass_a_good_suite() -> None:
    result = check()
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "2 eval files checked: nothing to report\n",
        "",
    )


def test_fail_text() -> None:
    write("tasks/one.yaml", TASK + TYPO)
    result = check("tasks")
    assert result.exit_code == 1
    assert result.stdout == (
        "tasks/one.yaml:5:1: error[unknown-key] [*] Unknown key 'gradres'. Did you mean 'graders'?\n"
        "1 eval file checked: 1 error\n"
        "[*] 1 fixable with --fix\n"
    )


def test_what_fix_repairs_is_marked() -> None:
    """Also the repairs of syntax errors and paths; a fix that does not work in this text is not marked."""
    write("tasks/one.yaml", TASK + TYPO + "x: 1\n")
    write("eval.yaml", EVAL.replace("tasks/*.yaml", "'tasks\\*.yaml'") + "baseline:true\n")
    lines = check().stdout.splitlines()
    fixed = check("--fix").stderr
    marked = sorted(re.findall(r"\[([a-z-]+)\] \[\*\]", "\n".join(lines)))
    assert marked == ["glob-without-match", "syntax-error", "unknown-key"]
    assert lines[-1] == "[*] 3 fixable with --fix"
    assert sorted(re.findall(r"1 ([a-z-]+)", fixed)) == marked
    # What is left is for a person.
    left = check()
    assert "[*]" not in left.stdout
    assert "[unknown-key] Unknown key 'x'" in left.stdout


def test_quiet_prints_the_findings_only() -> None:
    write("tasks/one.yaml", TASK + TYPO)
    assert check("-q").stdout.count("\n") == 1


def test_fail_json() -> None:
    write("tasks/one.yaml", TASK + "# 🧪\n\N{GRINNING FACE}x: [] # é\n")
    result = check("--format", "json", "tasks/one.yaml")
    assert result.exit_code == 0  # A warning.
    report = json.loads(result.stdout)
    assert list(report) == ["files", "diagnostics", "summary"]
    assert report["files"] == 1
    [diagnostic] = report["diagnostics"]
    assert list(diagnostic) == [
        "path",
        "range",
        "severity",
        "code",
        "message",
        "fixes",
        "fixable",
        "dialect",
        "kind",
    ]
    # The characters are UTF-16 units, of which the emoji has two.
    assert diagnostic["range"] == {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 3}}
    assert (diagnostic["path"], diagnostic["severity"], diagnostic["code"]) == (
        "tasks/one.yaml",
        "warning",
        "unknown-key",
    )
    assert (diagnostic["dialect"], diagnostic["kind"]) == ("waza", "task")
    assert report["summary"] == {"error": 0, "warning": 1, "information": 0, "hint": 0}


def test_fixes_are_named() -> None:
    write("tasks/one.yaml", TASK + TYPO)
    [diagnostic] = found("tasks")
    assert (diagnostic["fixes"], diagnostic["fixable"]) == (["Change to 'graders'"], True)


def test_pass_with_warnings_only() -> None:
    write("tasks/one.yaml", "- x\n")
    write("eval.yaml", EVAL + "graders:\n  - type: text\n    name: a\n    config: {}\n")
    result = check("eval.yaml", "--select", "cannot-fail")
    assert result.exit_code == 0
    assert result.stdout.endswith("1 eval file checked: 1 warning\n")


def test_fail_a_path_that_is_not_there() -> None:
    result = check("nowhere", "nor-here")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: No such file or folder: nowhere, nor-here\n"


def test_fail_a_missing_path_keeps_no_other_from_being_checked() -> None:
    write("tasks/one.yaml", TASK + TYPO)
    result = check("nowhere.yaml", "tasks", "--format", "json")
    assert (result.exit_code, result.stderr) == (2, "error: No such file or folder: nowhere.yaml\n")
    assert [it["path"] for it in json.loads(result.stdout)["diagnostics"]] == ["tasks/one.yaml"]


def test_fail_fixes_of_the_others_are_shown_and_made_beside_a_missing_path() -> None:
    write("tasks/one.yaml", TASK + TYPO)
    shown = check("--diff", "nowhere.yaml", "tasks")
    assert (shown.exit_code, shown.stderr) == (2, "error: No such file or folder: nowhere.yaml\n")
    assert "+graders: []" in shown.stdout
    assert check("--fix", "nowhere.yaml", "tasks").exit_code == 2
    assert "graders: []" in Path("tasks/one.yaml").read_text("utf-8")


def test_pass_all_paths_are_there() -> None:
    assert check("eval.yaml", "tasks").exit_code == 0


def test_select_and_ignore() -> None:
    write("tasks/one.yaml", TASK + TYPO + "tags: 1\n")
    assert codes("tasks") == ["unknown-key", "wrong-type"]
    assert codes("tasks", "--select", "wrong-type") == ["wrong-type"]
    assert codes("tasks", "--ignore", "wrong-type") == ["unknown-key"]
    assert codes("tasks", "--ignore", "wrong-type,unknown-key") == []
    assert codes("tasks", "--select", "wrong-type", "--select", "unknown-key", "--ignore", "unknown-key") == [
        "wrong-type"
    ]


def test_fail_an_unknown_code() -> None:
    result = check("--select", "unknwon-key")
    assert result.exit_code == 2
    assert "No finding has the code 'unknwon-key'. Did you mean 'unknown-key'" in result.stderr


def test_fail_an_unknown_dialect() -> None:
    result = check("--dialect", "wazza")
    assert result.exit_code == 2
    assert "'auto', 'vally', 'waza'" in result.stderr


def test_the_dialect_can_be_told() -> None:
    write("strange.yaml", EVAL.replace("tasks:", "stimuli: []\ntasks:"))
    assert [it["code"] for it in found("strange.yaml", "--dialect", "waza") if it["code"] == "unknown-key"]


def test_standard_input() -> None:
    [diagnostic] = found("--stdin-filename", "tasks/one.yaml", stdin=TASK + TYPO)
    assert (diagnostic["path"], diagnostic["kind"], diagnostic["code"]) == (
        "tasks/one.yaml",
        "task",
        "unknown-key",
    )
    [diagnostic] = found("-", stdin=EVAL + TYPO)
    assert (diagnostic["path"], diagnostic["kind"], diagnostic["code"]) == ("<stdin>", "eval", "unknown-key")
    assert check("-", "--stdin-filename", "eval.yaml", stdin=EVAL).exit_code == 0
    assert found("-", stdin=b"\xff\xfe") == []
    assert codes("-", "--stdin-filename", "eval.yaml", stdin=b"\xff\xfe") == ["unreadable-file"]
    assert check("-", stdin="").stdout.startswith("0 eval files checked: no file is recognised as an eval.")


def test_fail_standard_input_and_a_path() -> None:
    result = check("-", "tasks", stdin=TASK)
    assert result.exit_code == 2
    assert "not both" in result.stderr


def test_the_text_of_standard_input_is_what_other_checks_see() -> None:
    write("tasks/two.yaml", TASK.replace("one", "two"))
    assert "duplicate-task-id" in codes("--stdin-filename", "tasks/two.yaml", stdin=TASK)


def test_a_file_is_checked_once() -> None:
    write("tasks/one.yaml", TASK + TYPO)
    assert len(found("tasks/one.yaml", "tasks", ".", str(Path.cwd()))) == 1


def test_quiet_leaves_the_sum_out() -> None:
    assert check("--quiet").stdout == ""
    write("tasks/one.yaml", TASK + TYPO)
    assert check("-q").stdout.count("\n") == 1


def test_what_git_ignores_is_not_searched() -> None:
    for name in ("build/eval.yaml", "node_modules/a/eval.yaml", ".waza-lsp/eval.yaml", "kept/eval.yaml"):
        write(name, EVAL + TYPO)
    write(".gitignore", "build/\n")
    assert {it["path"] for it in found()} == {"kept/eval.yaml"}
    assert codes("build/eval.yaml", "--select", "unknown-key") == ["unknown-key"]


def test_other_yaml_files_are_passed_over() -> None:
    write("compose.yaml", "services: {web: {image: x}}\n")
    write("broken.yaml", "{{ template }}\n- [\n")
    write("binary.yaml", bytes(range(128, 256)))
    assert check().stdout == "2 eval files checked: nothing to report\n"


def test_comments_silence_findings() -> None:
    write("tasks/one.yaml", TASK + "gradres: []  # waza-lsp: ignore[unknown-key]\n")
    assert codes() == []


@pytest.mark.parametrize("name", [".waza-lsp.toml", "pyproject.toml"])
def test_settings_of_the_project(name: str) -> None:
    table = "tool.waza-lsp." if name == "pyproject.toml" else ""
    write(name, f"{table}exclude = ['drafts/', '*.old.yaml']\n{table}rules.unknown-key = 'warning'\n")
    write("tasks/one.yaml", TASK + TYPO)
    write("drafts/eval.yaml", EVAL + TYPO)
    write("a.old.yaml", EVAL + TYPO)
    [diagnostic] = found()
    assert (diagnostic["path"], diagnostic["severity"]) == ("tasks/one.yaml", "warning")
    assert {it["path"] for it in found("drafts/eval.yaml")} == {"drafts/eval.yaml"}, (
        "a file that is named is checked"
    )


def test_the_nearest_settings_count() -> None:
    write(".waza-lsp.toml", "rules = {unknown-key = 'off'}\n")
    write("pyproject.toml", "[tool.waza-lsp.rules]\nunknown-key = 'hint'\n")
    write("tasks/pyproject.toml", "[project]\nname = 'x'\n")
    write("tasks/one.yaml", TASK + TYPO)
    assert found() == []
    write("tasks/.waza-lsp.toml", "")
    assert codes() == ["unknown-key"]


def test_the_version_that_the_project_uses() -> None:
    write("tasks/one.yaml", TASK + "golden: true\n")
    assert codes() == []
    write(".waza-lsp.toml", "target = '0.35'\n")
    assert codes() == ["newer-than-target"]
    write(".waza-lsp.toml", "target = 0.35\n")
    assert "'target' must be a version in quotes, such as '0.34'" in check().stdout


def test_settings_that_cannot_be_used_are_told_and_left_out() -> None:
    write(
        ".waza-lsp.toml", "rules = {unknwon-key = 'off', unknown-key = 'of'}\nexclude = 'drafts'\nrule = 1\n"
    )
    write("tasks/one.yaml", TASK + TYPO)
    result = check()
    assert result.exit_code == 1
    told = [it for it in result.stdout.splitlines() if it.startswith(".waza-lsp.toml:")]
    assert len(told) == 4
    assert told[0].startswith(
        ".waza-lsp.toml:1:10: warning[invalid-settings] 'rules': No finding has the code 'unknwon-key'. Did"
    )
    assert told[1].startswith(
        ".waza-lsp.toml:1:31: warning[invalid-settings] 'rules': 'of' is not a level. Known levels: "
    )
    assert told[2].startswith(
        ".waza-lsp.toml:2:1: warning[invalid-settings] 'exclude' must be a list of patterns, such as"
    )
    assert told[3].startswith(
        ".waza-lsp.toml:3:1: warning[invalid-settings] Unknown key 'rule'. Did you mean 'rules'?"
    )
    write(".waza-lsp.toml", "rules = {\n")
    assert ".waza-lsp.toml:1:1: error[invalid-settings] This file cannot be read: " in check().stdout
    write("tasks/one.yaml", TASK)
    assert check().exit_code == 1
    assert ".waza-lsp.toml" not in check("--ignore", "invalid-settings").stdout
    write(".waza-lsp.toml", "rules = {invalid-settings = 'off'}\nrule = 1\n")
    assert "invalid-settings" not in check().stdout


def test_what_is_no_pattern_is_told_and_excludes_nothing() -> None:
    write(".waza-lsp.toml", "exclude = ['[z-a].yaml', '!', 'drafts/']\n")
    write("drafts/one.yaml", TASK + TYPO)
    result = check()
    assert result.exit_code == 0
    assert "'exclude': '[z-a].yaml' is not a valid pattern; it is ignored" in result.stdout
    assert "'exclude': '!' is not a valid pattern; it is ignored" in result.stdout


def test_a_named_pipe_among_the_tasks_is_a_finding() -> None:
    os.mkfifo("tasks/p.yaml")
    assert codes("eval.yaml") == ["unloadable-task"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(EVAL.encode() + b"description: caf\xe9\n", "Not UTF-8 (byte 147)", id="latin-1"),
        pytest.param(EVAL.encode("utf-16"), "Not UTF-8 (byte 0)", id="utf-16"),
        pytest.param(EVAL.encode() + b"description: \xed\xa0\x80\n", "Not UTF-8", id="half a character"),
        pytest.param(EVAL + "description: a\0b\n", "U+0000", id="NUL"),
        pytest.param(EVAL + f"description: {'x' * 10_000_000}\n", "larger than 2 MB", id="10 MB"),
        pytest.param(EVAL + f"description: {'[' * 100_000}\n", "the nesting is too deep", id="deep list"),
        pytest.param(
            EVAL + f"description: {'{a: ' * 100_000}\n", "the nesting is too deep", id="deep mapping"
        ),
        pytest.param(EVAL + f"graders:\n  {'- ' * 100_000}\n", "the nesting is too deep", id="deep block"),
        pytest.param(
            EVAL + "a: &a0 [1, 2]\n" + "".join(f"b{i}: &a{i + 1} [{f'*a{i}, ' * 9}]\n" for i in range(9)),
            "aliases expand to too many values",
            id="aliases",
        ),
    ],
)
def test_one_clear_finding_in_bounded_time(text: str | bytes, said: str) -> None:
    write("eval.yaml", text)
    started = time.process_time()
    errors = [it for it in found("eval.yaml") if it["severity"] == "error"]
    assert time.process_time() - started < 5
    [error] = errors
    assert said in error["message"]


def test_unreadable_files() -> None:
    Path("gone").mkdir()
    Path("gone/eval.yaml").symlink_to("nowhere")
    os.mkfifo("gone/eval.yml")
    assert codes("gone") == ["unreadable-file"]


def test_half_characters_in_messages_are_written_as_escapes() -> None:
    write("eval.yaml", EVAL + '"\\ud800": 1\n')
    assert check("--format", "json", "eval.yaml").exit_code == 1
    assert check("eval.yaml").exit_code == 1


def test_control_characters_do_not_reach_the_terminal() -> None:
    write("tasks/one.yaml", TASK + '"a\\e[31mb": 1\n')
    assert "\x1b" not in check("tasks").stdout


def test_help_has_examples() -> None:
    result = check("--help")
    assert "Examples:" in result.stdout
    assert "waza-lsp check --format sarif" in result.stdout


@pytest.mark.slow
def test_many_files_in_little_time_and_memory(tmp_path: Path) -> None:
    import subprocess

    for index in range(60):
        folder = tmp_path / "many" / f"suite-{index}"
        shutil.copytree(Path(__file__).parents[3] / "examples" / "file-editor", folder)
        for path in folder.rglob("*.yaml"):
            path.write_text(
                path.read_text("utf-8").replace("name:", f"# {index}\nname:", 1), encoding="utf-8"
            )
    code = (
        "import resource, sys; sys.argv = ['waza-lsp', 'check', 'many']\n"
        "from waza_lsp.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        # Not ru_maxrss: that one begins with the size of the process that started us.
        "peak = next(it for it in open('/proc/self/status') if it.startswith('VmHWM'))\n"
        "print(used.ru_utime + used.ru_stime, peak.split()[1])"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = result.stdout.splitlines()
    count = int(lines[-2].split()[0])
    seconds, kilobytes = map(float, lines[-1].split())
    # Half of that on a machine with nothing else to do; the figure itself is in docs/performance.md.
    assert seconds / count < 0.02
    assert kilobytes < 200_000
