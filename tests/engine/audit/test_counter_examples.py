"""Counter examples are graded with each audit, and must fail."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.audit.evals import audited, plan_of, recorded, recording, text_grader, write_eval
from waza_engine.audit.counter_examples import (
    CounterExampleError,
    counter_examples,
    counter_folder,
    keep_counter_example,
)
from waza_engine.audit.findings import audit_findings
from waza_engine.model.trajectory import Trajectory


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


def test_what_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    counter_folder(path).mkdir(parents=True)
    (counter_folder(path) / "t.json").write_text("{")
    assert "t.json is not valid JSON" in audited(path)["t"].problem


def test_an_id_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    with pytest.raises(CounterExampleError, match="leads out"):
        keep_counter_example(path, "../../t", Trajectory())
    assert list(counter_examples(path, "t")) == []


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    path = eval_with(tmp_path, contains=["Version"])
    (tmp_path / "elsewhere").mkdir()
    counter_folder(path).parent.mkdir(exist_ok=True)
    counter_folder(path).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CounterExampleError):
        keep_counter_example(path, "t", Trajectory())
    assert list((tmp_path / "elsewhere").iterdir()) == []
