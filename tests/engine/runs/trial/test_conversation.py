"""Checkpoints, repositories, working directories, skipped graders, kept workspaces."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.suite import Checkpoint, GraderEntry, InputFile, Repository
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.results.write import results_data
from waza_engine.reports.text import text_report
from waza_engine.runs.trial.repositories import add_repositories
from waza_engine.runs.trial.workspace import WorkspaceError


async def test_a_checkpoint_sees_the_state_after_its_turn(bench: Bench) -> None:
    asked = task(
        "a",
        prompt="one",
        follow_ups=("two", "three"),
        checkpoints=(Checkpoint(2, (contains("for: two"),)),),
        graders=(contains("for: three", name="last"),),
    )
    record = await bench.run(bench.suite(asked))
    only = record.tasks[0].trials[0]
    assert (only.status, [(it.after_turn, it.status) for it in only.checkpoints]) == (
        "passed",
        [(2, "passed")],
    )
    run = results_data(record)["tasks"][0]["runs"][0]
    assert run["checkpoints"][0]["validations"]["says"]["passed"] is True
    assert "says" not in run["validations"]


async def test_a_failed_checkpoint_fails_the_run_and_may_stop_it(bench: Bench) -> None:
    for stops, output in ((False, "for: three"), (True, "for: one")):
        point = Checkpoint(1, (contains("please"),), stops=stops)
        asked = task("a", prompt="one", follow_ups=("two", "three"), checkpoints=(point,))
        record = await bench.run(bench.suite(asked, graders=(contains(output),)))
        only = record.tasks[0].trials[0]
        assert (only.status, [it.status for it in only.graders]) == ("failed", ["passed"])
        lines = text_report(record).splitlines()
        assert lines[1:3] == ["      says 0.00  after turn 1", '        "please" not found in the output']


async def test_a_checkpoint_counts_also_when_graders_are_skipped(bench: Bench) -> None:
    point = Checkpoint(1, (contains("please"),))
    tasks = (task("a", checkpoints=(point,)), task("b"))
    record = await bench.run(bench.suite(*tasks, graders=(contains("never"),)), skip_graders=True)
    assert [it.status for it in record.tasks] == ["failed", "skipped"]


async def test_a_checkpoint_grader_that_cannot_work_stops_before_the_agent(
    bench: Bench, scripted: Scripted
) -> None:
    point = Checkpoint(1, (GraderEntry("nonsense", "odd"),))
    record = await bench.run(bench.suite(task("a", checkpoints=(point,))), scripted)
    assert (record.tasks[0].trials[0].status, scripted.requests) == ("error", [])


async def test_a_kept_workspace_is_named(bench: Bench) -> None:
    suite = bench.suite(task("a", files=(InputFile("x.txt", b"x"),)))
    record = await bench.run(suite, keep_workspace=True)
    kept = Path(record.tasks[0].trials[0].workspace)
    assert (kept / "x.txt").read_bytes() == b"x"
    assert results_data(record)["tasks"][0]["runs"][0]["workspace_dir"] == str(kept)


async def test_the_first_event_timeout_is_the_task_s_own_if_it_has_one(
    bench: Bench, scripted: Scripted
) -> None:
    tasks = (task("a"), task("b", first_event_timeout_seconds=0), task("c", first_event_timeout_seconds=7))
    await bench.run(bench.suite(*tasks, settings={"first_event_timeout_seconds": 3}), scripted)
    assert [it.first_event_timeout_seconds for it in scripted.requests] == [3, 0, 7]


def git(directory: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    return subprocess.run(
        ["git", *identity, *arguments], cwd=directory, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    for text in ("old", "new"):
        (source / "a.txt").write_text(text, encoding="utf-8")
        git(source, "add", "a.txt")
        git(source, "commit", "-q", "-m", text)
    (source / "a.txt").write_text("not committed", encoding="utf-8")
    hook = source / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch /tmp/should-not-be-here\n", encoding="utf-8")
    return source


async def test_a_repository_is_there_and_the_agent_starts_in_it(
    bench: Bench, scripted: Scripted, repository: Path
) -> None:
    async def edits(request: TrialRequest) -> Trajectory:
        assert request.working_dir == request.workspace_dir / "code"
        assert (request.working_dir / "a.txt").read_text() == "new"
        assert git(request.working_dir, "status", "--porcelain") == ""
        assert git(request.working_dir, "remote") == ""
        (request.working_dir / "a.txt").write_text("edited", encoding="utf-8")
        return said("hello")

    scripted.perform = edits
    asked = task("a", prompt="see ./code", repos=(Repository(repository, "code"),), workdir="code")
    record = await bench.run(bench.suite(asked), scripted)
    only = record.tasks[0].trials[0]
    assert (only.error, only.trajectory.files) == ("", {"code/a.txt": "edited"})
    assert git(repository, "worktree", "list").count("\n") == 1


def test_a_repository_at_a_commit(repository: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    add_repositories(workspace, [Repository(repository, "deep/er", "HEAD~1")])
    assert (workspace / "deep" / "er" / "a.txt").read_text() == "old"


@pytest.mark.parametrize(
    ("dest", "commit", "told"),
    [
        ("../out", "", "without '..'"),
        ("/abs", "", "relative path"),
        ("", "", "relative path"),
        (".", "", "relative path"),
        ("there", "", "must not exist"),
        ("x", "nonsense", "not a git repository with a commit 'nonsense'"),
        ("x", "--upload-pack=x", "is not a commit"),
    ],
)
def test_what_is_wrong_with_a_repository(
    repository: Path, tmp_path: Path, dest: str, commit: str, told: str
) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "there").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match=told):
        add_repositories(workspace, [Repository(repository, dest, commit)])


@pytest.mark.parametrize(("workdir", "told"), [("..", "without"), ("/", "relative")])
async def test_a_working_directory_outside_is_an_error(
    bench: Bench, scripted: Scripted, workdir: str, told: str
) -> None:
    record = await bench.run(bench.suite(task("a", workdir=workdir)), scripted)
    assert (told in record.tasks[0].trials[0].error, scripted.requests) == (True, [])
