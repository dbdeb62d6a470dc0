"""Results of unchanged tasks are taken again; everything that an audit reads is part of their fingerprint."""

import json
import sys
import zlib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.engine.audit.evals import recording, text_grader, write_eval
from waza_engine.audit import run
from waza_engine.audit.counter_examples import keep_counter_example
from waza_engine.audit.score import TaskAudit
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.planning.plan import Plan
from waza_lsp.cli import main
from waza_lsp.cli.audit import cache

OUTPUT = '{"Version": 2}'
FILES = [{"path": "a.md", "content": "a"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An eval with the tasks `a` and `b` in the working directory, a skill and a file that a grader reads."""
    graders = [
        text_grader(contains=["Version"]),
        {"type": "json_schema", "name": "shape", "config": {"schema_file": "schema.json"}},
    ]
    tasks = [{"id": it, "inputs": {"prompt": f"Do {it}", "files": FILES}, "graders": graders} for it in "ab"]
    path = write_eval(tmp_path / "e", tasks, recordings=[recording(it, OUTPUT) for it in "ab"])
    (tmp_path / "schema.json").write_text("{}")
    skill = path.parent / "skills" / "s"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: s\ndescription: d\n---\nUse semver.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return path.parent


@pytest.fixture
def audited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the tasks whose graders are asked."""
    asked: list[str] = []
    whole = run.audit_task

    def audit_task(plan: Plan, inputs: run.AuditInputs, *rest: Any) -> TaskAudit:
        asked.append(inputs.task.id)
        return whole(plan, inputs, *rest)

    monkeypatch.setattr(run, "audit_task", audit_task)
    return asked


def audit(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["audit", "e", "--format", "json", *arguments])
    assert result.exit_code in {0, 1}, result.output
    return result.stdout


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_what_has_not_changed_is_taken_again(folder: Path, audited: list[str]) -> None:
    first = audit()
    assert audited == ["a", "b"]
    assert audit() == first
    assert audited == ["a", "b"]
    # A run of one task keeps the other's result.
    replaced(folder / "tasks" / "a.yaml", "- Version", "- ': 2}'")
    audit("--task", "a")
    assert audited == ["a", "b", "a"]
    assert audit() != first
    assert audited == ["a", "b", "a"]
    uncached = audit("--no-cache")
    assert audited == ["a", "b", "a", "a", "b"]
    assert uncached == audit()


@pytest.mark.parametrize(
    ("change", "tasks"),
    [
        (lambda it: replaced(it / "tasks" / "a.yaml", "Do a", "Do it"), ["a"]),
        (lambda it: replaced(it / "tasks" / "a.yaml", "content: a", "content: b"), ["a"]),
        (lambda it: replaced(it / "recordings" / "a.json", ": 2}", ": 3}"), ["a", "b"]),
        (
            lambda it: (it / "recordings" / "a.2.json").write_text(
                (it / "recordings" / "a.json").read_text()
            ),
            ["a"],
        ),
        (lambda it: keep_counter_example(it / "eval.yaml", "b", Trajectory(output="x")), ["b"]),
        (lambda it: replaced(it / "skills" / "s" / "SKILL.md", "semver", "Version 2"), ["a", "b"]),
        (lambda it: (it.parent / "schema.json").write_text('{"type": "object"}'), ["a", "b"]),
        (lambda it: replaced(it / "eval.yaml", "gpt-4o", "gpt-4"), ["a", "b"]),
    ],
    ids=[
        "prompt",
        "input file",
        "recording",
        "new recording",
        "counter example",
        "skill",
        "schema",
        "settings",
    ],
)
def test_everything_that_is_read_counts(
    change: Callable[[Path], object], tasks: list[str], folder: Path, audited: list[str]
) -> None:
    audit()
    audited.clear()
    change(folder)
    found = audit()
    assert audited == tasks
    assert found == audit("--no-cache")


def test_every_part_of_an_audit_is_read_from_the_suite_or_cached() -> None:
    """Class: a part that grading finds out, and that the cache forgets."""
    read = {"task", "name", "path", "pointer", "intent", "graders", "left_out", "recorded", "is_unchecked"}
    said = {"unreadable", "problem"}  # such results are not cached
    assert {it.name for it in fields(TaskAudit)} == read | said | {*run.AuditResult._fields}


def test_another_program_counts(folder: Path, audited: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    audit()
    monkeypatch.setattr(cache, "_program", lambda: "newer")
    audit()
    assert len(audited) == 4
    monkeypatch.setattr(cache, "has_plugins", lambda: True)
    audit()
    assert len(audited) == 6
    assert folder.exists()


def test_what_runs_programs_is_never_taken_again(folder: Path, audited: list[str]) -> None:
    program = {"command": sys.executable, "args": ["-c", "exit(1)"]}
    path = folder / "tasks" / "a.yaml"
    task = json.dumps(
        {
            "id": "a",
            "name": "a",
            "inputs": {"prompt": "p"},
            "graders": [{"type": "program", "name": "p", "config": program}, text_grader(contains=["x"])],
        }
    )
    path.write_text(task)
    assert audit("--with-programs") == audit("--with-programs")
    assert audited == ["a", "b", "a"]
    # Without programs, the rest of the task is cached, and does not stand for the whole.
    audit()
    audit()
    audit("--with-programs")
    assert audited == ["a", "b", "a", "a", "a"]


HOSTILE: list[Callable[[bytes], bytes]] = [
    lambda _: b"",
    lambda _: b"\x80\x04cos\nsystem\n(S'touch made'\ntR.",
    lambda _: zlib.compress(b"\0" * 200_000_000, 9),
    lambda _: zlib.compress(b"[" * 100_000),
    lambda _: zlib.compress(b'{"a": 1}\n[1, 2]\n["a", {}]\n'),
    lambda old: zlib.compress(zlib.decompress(old).replace(b'\\"passed\\"', b'\\"perfect\\"')),
    lambda old: zlib.compress(zlib.decompress(old).replace(b"[[{", b"[[7,{")),
    lambda old: old[:-10],
]


@pytest.mark.parametrize("damage", HOSTILE, ids=range(len(HOSTILE)))
def test_a_damaged_or_forged_file_costs_only_time(
    damage: Callable[[bytes], bytes], folder: Path, audited: list[str], tmp_path: Path
) -> None:
    first = audit()
    [file] = (tmp_path / "cache" / "waza-lsp").glob("audit-*.json.z")
    file.write_bytes(damage(file.read_bytes()))
    assert audit() == first
    assert audited == ["a", "b", "a", "b"]
    assert not (tmp_path / "made").exists()
    assert audit() == first
    assert len(audited) == 4
    assert folder.exists()


def test_a_file_that_others_can_write_does_not_count(
    folder: Path, audited: list[str], tmp_path: Path
) -> None:
    audit()
    [file] = (tmp_path / "cache" / "waza-lsp").glob("audit-*.json.z")
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o666)
    audit()
    assert len(audited) == 4
    file.rename(folder / "elsewhere")
    file.symlink_to(folder / "elsewhere")
    audit()
    assert len(audited) == 6
