"""Counter examples are graded with each audit, and must fail."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.engine.audit.evals import audited, plan_of, recorded, recording, text_grader, write_eval
from waza_engine.audit.counter_examples import (
    CounterExampleError,
    counter_examples,
    keep_counter_example,
)
from waza_engine.audit.findings import audit_findings
from waza_engine.model.trajectory import SkillInvocation, Trajectory
from waza_engine.project.store_location import counter_folder


def eval_with(folder: Path, **config: Any) -> Path:
    return write_eval(
        folder / "e",
        [{"id": "t", "graders": [text_grader(**config)]}],
        recordings=[recording("t", "Version 2.0")],
    )


def test_one_that_passes_is_a_finding_and_one_that_fails_is_none(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    keep_counter_example(path, "t", Trajectory(output="Version unknown"))
    kept = keep_counter_example(path, "t", Trajectory(output="nothing"))
    assert kept.name == "t.2.json"
    audit = audited(path)["t"]
    assert [it.name for it in audit.passing_counter_examples] == ["t.json"]
    found = {it.finding.code: it.finding.message for it in audit_findings([audit])}
    assert (
        found["counter-example-passes"] == "Counter examples must fail, but pass: recordings/counter/t.json"
    )


def test_it_does_not_count_in_the_mutation_score(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version 2.0"])
    before = audited(path)["t"].mutation_score
    keep_counter_example(path, "t", Trajectory(output="Version 2.0, but wrong"))
    assert audited(path)["t"].mutation_score == before


def test_runs_do_not_replay_it(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    keep_counter_example(path, "t", Trajectory(output="no"))
    assert [it.trajectory.output for it in recorded(plan_of(path))["t"]] == ["Version 2.0"]


def test_what_is_written_is_read_again_without_paths_of_this_machine(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    trial = recording(
        "t", "Größe 1\r\n", [("edit", {"path": "ä.md"})], files={"ä.md": "x\r\n"}, removed=["b.md"]
    )
    skills = [
        SkillInvocation(name="s", path=str(path.parent / "skills" / "s" / "SKILL.md")),
        SkillInvocation(name="u", path="/elsewhere/u/SKILL.md"),
    ]
    full = Trajectory.model_validate(trial).model_copy(
        update={"artifact_dir": "/var/artifacts", "skills": skills, "task": "older-name"}
    )
    kept = keep_counter_example(path, "t", full)
    [found] = counter_examples(path, "t")
    assert found.path == kept
    assert found.trajectory == full.model_copy(
        update={
            "task": "t",
            "artifact_dir": "",
            "skills": [
                SkillInvocation(name="s", path="skills/s/SKILL.md"),
                SkillInvocation(name="u", path=""),
            ],
        }
    )
    assert keep_counter_example(path, "t", full) == kept
    assert [it.name for it in kept.parent.iterdir()] == ["t.json"]


def test_numbers_are_not_mistaken_for_those_of_other_tasks(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    names = [
        keep_counter_example(path, task, Trajectory(output=output)).name
        for task, output in [("t", "1"), ("t", "2"), ("t.2", "3"), ("t.2", "4"), ("t", "5")]
    ]
    assert names == ["t.json", "t.2.json", "t.2.2.json", "t.2.3.json", "t.3.json"]
    outputs = {
        task: [it.trajectory.output for it in counter_examples(path, task) if it.trajectory]
        for task in ("t", "t.2")
    }
    assert outputs == {"t": ["1", "2", "5"], "t.2": ["3", "4"]}


def test_nothing_is_overwritten_and_there_is_an_end(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    folder = counter_folder(path)
    folder.mkdir(parents=True)
    (folder / "t.json").write_text("mine")
    (folder / "t.2.json").symlink_to("nowhere.json")
    assert keep_counter_example(path, "t", Trajectory(output="x")).name == "t.3.json"
    assert (folder / "t.json").read_text() == "mine"
    assert not (folder / "nowhere.json").exists()
    for number in range(4, 51):
        (folder / f"t.{number}.json").touch()
    with pytest.raises(CounterExampleError, match="has 50 counter examples of 't' already"):
        keep_counter_example(path, "t", Trajectory(output="y"))


@pytest.mark.parametrize("task", ["../../t", "/t", "a\0b", "x" * 300])
def test_an_id_that_is_no_file_name_is_refused(task: str, tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    before = sorted(tmp_path.rglob("*.json"))
    with pytest.raises(CounterExampleError):
        keep_counter_example(path, task, Trajectory())
    assert sorted(tmp_path.rglob("*.json")) == before
    assert [it for it in counter_examples(path, task) if it.trajectory] == []


def test_what_cannot_be_written_as_json_leaves_nothing(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    deep: Any = []
    for _ in range(2_000):
        deep = [deep]
    for trial in (Trajectory(transcript=[{"deep": deep}]), Trajectory(output="x" * 16_000_001)):
        with pytest.raises(CounterExampleError):
            keep_counter_example(path, "t", trial)
    assert list(counter_examples(path, "t")) == []


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    (tmp_path / "elsewhere").mkdir()
    counter_folder(path).parent.mkdir(exist_ok=True)
    counter_folder(path).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CounterExampleError):
        keep_counter_example(path, "t", Trajectory())
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_hostile_and_damaged_files_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    folder, good = counter_folder(path), {"version": 1, "task": "t", "output": "Version 9"}
    folder.mkdir(parents=True)
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps(good))
    bad: dict[str, str | bytes] = {
        "t.json": "{",
        "t.2.json": "[" * 100_000,
        "t.3.json": '{"version": 99}',
        "t.4.json": '{"output": [1]}',
        "t.5.json": '{"output": "\xff"}'.encode("latin-1"),
    }
    for name, text in bad.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "t.6.json").symlink_to(secret)
    os.mkfifo(folder / "t.7.json")
    (folder / "t.8.json").mkdir()
    with (folder / "t.9.json").open("wb") as sparse:
        sparse.truncate(8_000_000_000)
    (folder / "t.10.json").write_text(json.dumps(good))
    (folder / "t.11.json").write_text(json.dumps({**good, "task": "t.11"}))
    (path.parent / "recordings" / "t.json").write_text("{")
    audit = audited(path)["t"]
    assert [it.name for it in audit.passing_counter_examples] == ["t.10.json"]
    named = [it.shown for it in audit.unreadable]
    files = ["t.json", *(f"counter/t{n}.json" for n in ("", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9"))]
    assert len(named) == len(files)
    assert all(f"recordings/{name}" in it for name, it in zip(files, named, strict=True)), named
    assert not any(str(tmp_path) in it for it in named)
    found = {it.finding.code: it.finding.message for it in audit_findings([audit])}
    assert found["unreadable-recording"].startswith(
        "Recordings are skipped: The recording recordings/t.json is"
    )
    assert found["unreadable-recording"].endswith("; and 7 more")
