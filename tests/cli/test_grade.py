"""`waza-lsp grade`: both modes, their output and their exit status."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

_PASSING = "- {type: text, name: says-a, config: {contains: [a]}}\n"
_FAILING = "- {type: text, name: says-b, config: {contains: [b]}}\n"
_BROKEN = "- {type: text, name: odd, config: {contains: b}}\n"


def grade(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["grade", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "context.json").write_text('{"output": "a"}')
    return tmp_path


def test_a_batch_answers_every_line_whatever_its_bytes(folder: Path) -> None:
    line = json.dumps({"id": 1, "graders_yaml": _PASSING, "context": {"output": "a"}}).encode()
    data = line + b'\n{"id": "\xff"}\n' + line + b"\n"
    (folder / "lines.jsonl").write_bytes(data)
    for name in ("lines.jsonl", "-"):
        done = CliRunner().invoke(main, ["grade", "--batch", name], input=data)
        answers = sorted((json.loads(it) for it in done.stdout.splitlines()), key=lambda it: "error" in it)
        assert [it.get("status") for it in answers] == ["passed", "passed", None]
        assert answers[2]["error"] == {"kind": "input", "message": "the line is not UTF-8 (byte 8)"}


@pytest.mark.usefixtures("folder")
def test_standard_input_has_one_use() -> None:
    done = CliRunner().invoke(main, ["grade", "--graders", "-", "--context", "context.json"], input=_PASSING)
    assert (done.exit_code, "PASS" in done.stdout) == (0, True)
    assert grade("--graders", "-", "--context", "-").exit_code == 2


@pytest.mark.parametrize("given", [["--task", "a"], ["--store", "runs"]])
def test_what_chooses_in_a_run_wants_one(given: list[str], folder: Path) -> None:
    (folder / "graders.yaml").write_text(_PASSING)
    done = grade("--graders", "graders.yaml", "--context", "context.json", *given)
    assert (done.exit_code, f"{given[0]} requires --run" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("graders", "status", "said"),
    [
        (_PASSING, 0, ["PASSED: 1 of 1 graders passed, score 1.00"]),
        (
            _PASSING + _FAILING,
            1,
            [
                "FAIL   says-b  0.00  graders.yaml:2",
                '       "b" not found in the output',
                "         starts with: 'a'",
                "FAILED: 1 of 2 graders passed, score 0.50",
            ],
        ),
        (
            _PASSING + _BROKEN,
            3,
            [
                "ERROR  odd  graders.yaml:2: config.contains: Expected a list of strings, found the string 'b'",
                "ERROR: 1 of 2 graders passed",
            ],
        ),
        (
            _PASSING + "- {type: text, name: odd, config: {contain: [a]}}\n",
            3,
            [
                "ERROR  odd  graders.yaml:2: config.contain: Unknown key 'contain'. Did you mean 'contains'?",
                "ERROR: 1 of 2 graders passed",
            ],
        ),
        (
            _PASSING + "- {type: text, name: odd, config: {regex_match: ['[a']}}\n",
            3,
            [
                "ERROR  odd  graders.yaml:2: config.regex_match.0: Not a valid RE2 pattern: missing closing ]: `[a`",
                "ERROR: 1 of 2 graders passed",
            ],
        ),
    ],
)
def test_text_and_status(folder: Path, graders: str, status: int, said: list[str]) -> None:
    (folder / "graders.yaml").write_text(graders)
    done = grade("--graders", "graders.yaml", "--context", "context.json")
    assert done.exit_code == status
    passed = ["PASS   says-a  1.00  All checks passed"]
    assert done.stdout.splitlines() == passed + said
    quiet = grade("--graders", "graders.yaml", "--context", "context.json", "-q")
    assert quiet.stdout.splitlines() == (said if status else [])


def test_a_list_that_is_not_yaml(folder: Path) -> None:
    (folder / "graders.yaml").write_text("a: [")
    done = grade("--graders", "graders.yaml", "--context", "context.json")
    assert done.exit_code == 3
    assert "(line 2, column 1)" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("context", "arguments", "hint"),
    [
        ('{"ouput": "a"}', (), "context: unknown member 'ouput'. Did you mean 'output'?"),
        ('{"trajectory": {}}', (), "unknown member 'trajectory'. Only contexts of vally have it"),
        ('{"zzz": 1}', (), "unknown member 'zzz'. Known members: baseline_output, "),
        (
            '{"compared": {"event": []}}',
            ("--dialect", "vally"),
            "context.compared: unknown member 'event'. Did you mean 'events'?",
        ),
    ],
)
def test_an_unknown_member_of_a_context_is_an_error(
    folder: Path, context: str, arguments: tuple[str, ...], hint: str
) -> None:
    (folder / "graders.yaml").write_text(_PASSING)
    (folder / "context.json").write_text(context)
    done = grade("--graders", "graders.yaml", "--context", "context.json", *arguments)
    assert (done.exit_code, hint in done.stderr) == (2, True), done.stderr


def test_json(folder: Path) -> None:
    (folder / "graders.yaml").write_text(_PASSING + _BROKEN)
    done = grade("--graders", "graders.yaml", "--context", "context.json", "--format", "json")
    first, second = json.loads(done.stdout)
    assert (first["name"], first["type"], first["score"], first["passed"]) == ("says-a", "text", 1.0, True)
    assert second["error"]["kind"] == "config"


def test_workspace_and_process_directory(folder: Path) -> None:
    (folder / "ws").mkdir()
    (folder / "ws/made").touch()
    (folder / "any.json").write_text("{}")
    (folder / "context.json").write_text('{"output": "{}"}')
    (folder / "graders.yaml").write_text(
        "- {type: file, name: f, config: {must_exist: [made]}}\n"
        "- {type: json_schema, name: j, config: {schema_file: any.json}}\n"
    )
    arguments = ("--graders", "graders.yaml", "--context", "context.json")
    assert grade(*arguments, "--workspace", "ws").exit_code == 0
    assert grade(*arguments).exit_code == 1


def test_generations(folder: Path) -> None:
    (folder / "graders.yaml").write_text("- {type: regex, name: r, config: {must_match: [A]}}\n")
    arguments = ("--graders", "graders.yaml", "--context", "context.json")
    assert [grade(*arguments, "--gen", it).exit_code for it in ("G1", "PY", "G3")] == [1, 0, 3]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--graders", "graders.yaml"),
        ("--graders", "missing.yaml", "--context", "context.json"),
        ("--graders", "graders.yaml", "--context", "missing.json"),
        ("--graders", "graders.yaml", "--context", "graders.yaml"),
        ("--graders", "graders.yaml", "--context", "list.json"),
        ("--graders", "latin1.yaml", "--context", "context.json"),
        ("--graders", "graders.yaml", "--context", "context.json", "--gen", "G9"),
        ("--graders", "graders.yaml", "--context", "context.json", "--workspace", "nowhere"),
        ("--batch", "missing.jsonl"),
        ("--batch", "batch.jsonl", "--graders", "graders.yaml"),
    ],
)
def test_bad_usage(folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "graders.yaml").write_text(_PASSING)
    (folder / "latin1.yaml").write_bytes("- ü".encode("latin1"))
    (folder / "list.json").write_text("[]")
    (folder / "batch.jsonl").write_text("")
    done = grade(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_batch_answers_every_line_whatever_the_verdicts(folder: Path) -> None:
    entry = {"type": "text", "config": {"contains": ["b"]}}
    lines: list[Any] = [{"id": str(number), "graders": [entry]} for number in range(20)]
    (folder / "batch.jsonl").write_text("\n".join(json.dumps(it) for it in lines) + "\nno json\n \n\n")
    done = grade("--batch", "batch.jsonl")
    assert done.exit_code == 0
    answers = [json.loads(it) for it in done.stdout.splitlines()]
    assert len(answers) == 23
    assert {it["id"] for it in answers} == {None, *(it["id"] for it in lines)}
    assert {it.get("status") for it in answers} == {"failed", None}


@pytest.mark.parametrize("chosen", [("--dialect", "vally"), ("--gen", "VALLY")])
def test_another_dialect(folder: Path, chosen: tuple[str, str]) -> None:
    (folder / "graders.yaml").write_text(
        "- {type: output-matches, config: {pattern: '(?i)A$'}}\n"
        "- {type: token-budget, name: cheap, config: {max: 10}}\n"
    )
    (folder / "context.json").write_text('{"output": "a", "metrics": {"tokenUsage": {"inputTokens": 15}}}')
    done = grade(*chosen, "--graders", "graders.yaml", "--context", "context.json")
    assert done.exit_code == 1
    first, second, _, last = done.stdout.splitlines()
    assert first.startswith("PASS")
    assert "output-matches" in first
    assert second.startswith("FAIL")
    assert "cheap  0.50" in second
    assert last == "FAILED: 1 of 2 graders passed, score 0.75"


def test_a_grader_that_cannot_decide_is_an_error(folder: Path) -> None:
    (folder / "graders.yaml").write_text("- {type: file-exists, config: {path: a}}\n")
    done = grade("--dialect", "vally", "--graders", "graders.yaml", "--context", "context.json")
    assert done.exit_code == 3
