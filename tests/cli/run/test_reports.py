"""`--output-dir` and `--transcript-dir`: folders of files, called and laid out as waza does.

See docs/reference/waza-formats.md, section 15.
"""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine.reports.transcripts import write_transcripts
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore
from waza_lsp.cli.run.command import run

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock, model: some/model 1}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""
FIRST, SECOND = "Says: hello, World_1", "!?"
SPEC = "defaults: {executor: mock}\nstimuli: [{name: greets, prompt: hello, graders: [{type: output-contains, config: {substring: hello}}]}]\n"
ARMS = """
name: arms
evals: [spec.yaml]
baseline: {model: small}
matrix:
  model: {path: /defaults/model, values: [small, large]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "eval.yaml", EVAL)
    for number, name in enumerate((FIRST, SECOND)):
        write(
            tmp_path / "tasks" / f"{number}.yaml",
            f"id: t{number}\nname: '{name}'\ninputs: {{prompt: hello}}\n",
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")


def invoke(*arguments: str, of: str = "eval.yaml") -> Result:
    return CliRunner().invoke(run, [of, *arguments])


def names(folder: Path) -> list[str]:
    return sorted(it.name for it in folder.iterdir())


def read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_results_go_into_a_folder_of_their_moment() -> None:
    assert invoke("--output-dir", "out").exit_code == 0
    [moment] = Path("out").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d{6}\.\d{3}", moment.name)
    assert names(moment) == ["some-model-1.json"]
    assert read(moment / "some-model-1.json")["config"]["model_id"] == "some/model 1"
    invoke("--output-dir", "out")
    assert len(names(Path("out"))) == 2


def test_results_of_several_models_stand_side_by_side() -> None:
    assert invoke("--output-dir", "out", "--model", "a:b", "--model", "c").exit_code == 0
    [moment] = Path("out").iterdir()
    assert names(moment) == ["a-b.json", "c.json"]


def test_the_project_says_where_results_go(folder: Path) -> None:
    write(folder / ".waza.yaml", "paths: {results: ./kept/here}\n")
    invoke()
    assert len(names(folder / "kept" / "here")) == 1
    # Who says something else, or follows the events, has results already.
    invoke("--output", "other.json")
    invoke("--output-dir", "out")
    invoke("--events", "jsonl")
    assert len(names(folder / "kept" / "here")) == 1


@pytest.mark.parametrize("wish", ["results/", "./results", "../elsewhere", "/nowhere/at/all"])
def test_wishes_that_waza_passes_over(folder: Path, wish: str) -> None:
    write(folder / ".waza.yaml", f"paths: {{results: {wish}}}\n")
    before = names(folder)
    assert invoke().exit_code == 0
    assert set(names(folder)) - set(before) == {".waza-lsp"}


def test_evals_of_vally_have_no_such_project(folder: Path) -> None:
    write(folder / ".waza.yaml", "paths: {results: kept}\n")
    write(folder / "spec.yaml", SPEC)
    assert invoke(of="spec.yaml").exit_code == 0
    assert not (folder / "kept").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--output", "a.json", "--output-dir", "out"], "use only one"),
        (["--model", "a", "--model", "b", "--model", "a"], "--model a is given twice"),
    ],
)
def test_what_contradicts_itself_is_refused(folder: Path, arguments: list[str], told: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, told in result.stderr) == (2, True), result.output
    assert not (folder / ".waza-lsp").exists()


def test_each_task_has_its_transcript() -> None:
    assert invoke("--transcript-dir", "said").exit_code == 0
    found = {it.name: read(it) for it in Path("said").iterdir()}
    assert [re.sub(r"\d{8}-\d{6}", "<moment>", it) for it in sorted(found)] == [
        "says-hello-world_1-<moment>.json",
        "unnamed-<moment>.json",
    ]
    first = next(it for it in found.values() if it["task_id"] == "t0")
    assert list(first) == [
        *("task_id", "task_name", "status", "started_at", "completed_at", "duration_ms", "prompt"),
        *("final_output", "transcript", "validations", "session"),
    ]
    assert (first["task_name"], first["status"], first["prompt"]) == (FIRST, "passed", "hello")
    assert first["final_output"].startswith("Mock response for: hello")
    assert list(first["validations"]) == ["answers"]
    assert first["started_at"] <= first["completed_at"]


def test_tasks_of_one_name_and_second_do_not_meet(folder: Path) -> None:
    write(folder / "tasks" / "1.yaml", f"id: t1\nname: '{FIRST}'\ninputs: {{prompt: hello}}\n")
    invoke()
    with RunStore(folder / ".waza-lsp", for_reading=True) as store:
        record = stored_record(store, store.runs()[0])
        write_transcripts(record, folder / "said")
        write_transcripts(record, folder / "said")
    assert len(names(folder / "said")) == 4


def test_a_task_that_was_not_performed_says_why(folder: Path) -> None:
    write(
        folder / "eval.yaml", f"{EVAL}hooks: {{before_task: [{{command: 'false', error_on_fail: true}}]}}\n"
    )
    invoke("--transcript-dir", "said")
    told = [read(it) for it in Path("said").iterdir()]
    assert len(told) == 2
    assert all("hooks.before_task[0]" in it["error_msg"] and it["transcript"] == [] for it in told)


@pytest.mark.parametrize("option", ["--transcript-dir", "--html", "--junit", "--output", "--record"])
def test_what_cannot_be_written_is_noticed_before_the_run(option: str) -> None:
    result = invoke(option, "eval.yaml/said")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: eval.yaml/said: cannot be written: Not a directory. Nothing was run\n"
    # A missing folder is created, and a file named like a folder stays a file.
    assert invoke(option, "new/said").exit_code == 0
    assert invoke(option, "new/said").exit_code == 0


def test_of_an_experiment_each_arm_has_a_folder(folder: Path) -> None:
    write(folder / "spec.yaml", SPEC)
    write(folder / "arms.experiment.yaml", ARMS)
    refused = invoke("--output-dir", "out", of="arms.experiment.yaml")
    assert (refused.exit_code, "with --output" in refused.stderr) == (2, True)
    assert invoke("--transcript-dir", "said", of="arms.experiment.yaml").exit_code == 0
    assert names(Path("said")) == ["model=large", "model=small"]
    assert len(names(Path("said/model=small"))) == 1
