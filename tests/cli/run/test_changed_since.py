"""`waza-lsp run --changed-since REF`: which evals and tasks run, why, and what a hostile commit cannot do."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.repositories import TASK, Repository
from waza_lsp.cli import main


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "project")
    made.add_eval("alpha", "one", "two")
    made.add_eval("beta", "three")
    made.write("README.md", "Evals\n")
    made.write(".gitignore", ".waza-lsp/\n")
    made.commit("The first")
    made.git("switch", "-q", "-c", "topic")
    monkeypatch.chdir(made.root)
    return made


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def _planned(repository: Repository, *paths: str) -> tuple[dict[str, list[str]], str]:
    """Return the tasks that would run by the name of their eval, and what was said about them."""
    repository.commit()
    result = _run(*(paths or (".",)), "--changed-since", "main", "--dry-run", "--format", "json")
    assert result.exit_code == 0, result.output
    return {it["eval"]: it["tasks"] for it in json.loads(result.stdout)["plans"]}, result.stderr


ALPHA, BETA = ["one", "two"], ["three"]


def test_only_documents_run_nothing(repository: Repository) -> None:
    repository.write("README.md", "More\n")
    planned, said = _planned(repository)
    assert planned == {}
    assert said.startswith("0 of 2 evals run, since main (merge base ")
    assert (result := _run(".", "--changed-since", "main")).exit_code == 0
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("path", "old", "new", "expected", "reason"),
    [
        ("skills/alpha/SKILL.md", "well", "better", {"alpha": ALPHA}, "skill text"),
        ("evals/alpha/fixtures/notes.md", "Notes", "Sketches", {"alpha": ALPHA}, "fixtures"),
        ("evals/alpha/eval.yaml", '"Write"', '"Write "', {"alpha": ALPHA}, "grader text"),
        ("evals/alpha/tasks/one.yaml", "Write one", "Write 1", {"alpha": ["one"]}, "task text"),
        ("evals/beta/eval.yaml", "some-model", "other-model", {"beta": BETA}, "model"),
        ("evals/beta/eval.yaml", "timeout_seconds: 60", "timeout_seconds: 50", {"beta": BETA}, "eval settings"),
        ("evals/beta/eval.yaml", "metrics: []", "metrics: [{name: trigger_accuracy, threshold: 0.5, weight: 1}]", {"beta": BETA}, "thresholds"),
        ("evals/alpha/eval.yaml", "tasks: [", "# A comment\ntasks: [", {}, ""),
    ],
)  # fmt: skip
def test_what_changed_runs(
    repository: Repository, path: str, old: str, new: str, expected: dict[str, list[str]], reason: str
) -> None:
    repository.replace(path, old, new)
    planned, said = _planned(repository)
    assert planned == expected
    assert not reason or f"({reason})" in said
    assert said.startswith(
        "1 skill changed, " if "SKILL" in path else f"{len(expected)} of 2 evals run, since "
    )


def test_new_moved_and_removed(repository: Repository) -> None:
    repository.write("evals/alpha/tasks/four.yaml", TASK.format(id="four"))
    (repository.root / "evals/alpha/tasks/two.yaml").unlink()
    repository.add_eval("gamma", "five")
    repository.git("mv", "evals/beta", "evals/delta")
    planned, said = _planned(repository)
    assert planned == {"alpha": ["four"], "gamma": ["five"]}
    assert said.startswith("1 skill changed, 2 of 3 evals run, since ")
    assert "evals/alpha/eval.yaml: 1 of 2 tasks (new task)" in said
    assert "evals/gamma/eval.yaml: all tasks (new eval)" in said
    assert "removed" not in said
    repository.git("rm", "-rqf", "evals/delta")
    assert "evals/beta/eval.yaml: removed" in _planned(repository)[1]


def test_one_eval_and_a_folder_below(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.replace("skills/beta/SKILL.md", "well", "better")
    assert _planned(repository, "evals/beta/eval.yaml")[0] == {"beta": BETA}
    monkeypatch.chdir(repository.root / "evals")
    assert _planned(repository, "beta")[0] == {"beta": BETA}


def test_it_runs_what_it_says_and_compares_with_the_merge_base(repository: Repository) -> None:
    repository.replace("evals/alpha/tasks/one.yaml", "Write one", "Write 1")
    repository.commit()
    repository.git("switch", "-q", "main")
    repository.replace("skills/beta/SKILL.md", "well", "badly")
    repository.commit("Others work, too")
    repository.git("switch", "-q", "topic")
    result = _run("evals", "--changed-since", "main")
    assert result.exit_code == 0, result.output
    assert "PASS  one" in result.stdout
    assert "two" not in result.stdout
    assert "1 of 2 evals run, since main" in result.stderr
    # What is not committed yet counts.
    repository.replace("evals/alpha/fixtures/notes.md", "Notes", "Sketches")
    assert "all tasks (task text, fixtures)" in _run("evals", "--changed-since", "main", "--dry-run").stderr


def test_a_broken_eval_is_reported_and_a_repaired_one_runs(repository: Repository) -> None:
    repository.write("evals/beta/eval.yaml", "name: [")
    repository.commit()
    result = _run(".", "--changed-since", "main", "--dry-run")
    assert (result.exit_code, "(cannot be read)" in result.stderr) == (2, True)
    repository.git("switch", "-q", "-c", "repair")
    repository.git("checkout", "-q", "main", "--", "evals/beta")
    repository.commit()
    assert "all tasks (new eval)" in _run(".", "--changed-since", "topic", "--dry-run").stderr


def test_an_audit_of_what_changed(repository: Repository) -> None:
    repository.replace("evals/beta/fixtures/notes.md", "Notes", "Sketches")
    arguments = ["audit", "--changed-since", "main", "--format", "json", "--no-cache"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert [it["name"] for it in json.loads(result.stdout)["evals"]] == ["beta"]
    assert result.stderr.startswith("1 of 2 evals audited, since main (merge base ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--changed-since", "nothing"], "git has no commit 'nothing' in this repository. Fetch it first"),
        (["--changed-since", "--output=x"], "'--output=x' is not a commit"),
        (["--changed-since", ""], "'' is not a commit"),
        (["--changed-since", "main", "--task", "one"], "--changed-since selects the tasks"),
    ],
)
def test_refusals(repository: Repository, arguments: list[str], message: str) -> None:
    assert repository.root.exists()
    result = _run(".", *arguments)
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_a_folder_without_git_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Repository(tmp_path / "made")
    made.add_eval("alpha", "one")
    (made.root / ".git").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(made.root)
    result = _run(".", "--changed-since", "main")
    assert (result.exit_code, "is not in a git repository" in result.output) == (2, True), result.output


def test_a_shallow_clone_says_what_to_do(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit()
    repository.git("clone", "-q", "--depth", "1", repository.root.as_uri(), str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    result = _run(".", "--changed-since", "origin/main")
    assert result.exit_code == 2
    assert "fetch-depth: 0" in result.output


def test_a_hostile_commit_runs_nothing_and_leaves_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters, hooks, links out of the tree and names that are no paths: nothing of it has an effect."""
    trap, temporary = tmp_path / "trap", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    for name in ("post-checkout", "reference-transaction"):
        repository.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {trap}\n")
        (repository.root / f".git/hooks/{name}").chmod(0o755)
    for key in ("filter.evil.smudge", "filter.evil.clean", "core.fsmonitor", "diff.evil.textconv"):
        repository.git("config", key, f"touch {trap}; cat")
    repository.write(".gitattributes", "* filter=evil diff=evil\n")
    secret = tmp_path / "secret.yaml"
    secret.write_text("outside", encoding="utf-8")
    for number, goal in enumerate([str(secret), "../../secret.yaml", "inner/../../../secret.yaml", "inner"]):
        (repository.root / f"evals/link{number}.yaml").symlink_to(goal)
    (repository.root / "evals/inner").symlink_to(".")
    blob = repository.git("hash-object", "-w", "README.md")
    trap.unlink(missing_ok=True)
    repository.git("-c", "filter.evil.clean=cat", "-c", "core.fsmonitor=false", "add", "-A")
    for name in ("evals/aux\n::error::x.yaml", "evals/ünï/eval.yaml"):
        repository.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    repository.git(
        "update-index", "--add", "--cacheinfo", f"160000,{repository.git('rev-parse', 'main')},sub"
    )
    tree = repository.git("write-tree")
    commit = repository.git("commit-tree", tree, "-p", "main", "-m", "hostile")
    repository.git("update-ref", "refs/heads/hostile", commit)
    repository.git("update-ref", "refs/heads/topic", commit)
    trap.unlink(missing_ok=True)
    result = _run(".", "--changed-since", "hostile", "--dry-run")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("0 of 2 evals run")
    assert not trap.exists()
    assert not list(temporary.iterdir())
    assert "\n::" not in result.output


@pytest.mark.slow
def test_every_file_that_an_example_uses_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both dialects: skills, fixtures, and all that graders read, start or compare with."""
    made = Repository(tmp_path / "project")
    shutil.copytree(_ROOT / "examples", made.root / "examples")
    made.commit()
    monkeypatch.chdir(made.root)
    for path, expected in _USED.items():
        place = made.root / "examples" / path
        before = place.read_bytes()
        added = b"\n  - prompt: zzz\n    confidence: high\n" if path.endswith(".yaml") else b"\nzzz\n"
        place.write_bytes(before + added)
        said = _run("examples", "--changed-since", "main", "--dry-run").stderr
        assert [it.strip() for it in said.splitlines() if it.startswith("  ")] == [
            f"examples/{it}" for it in expected
        ], path
        place.write_bytes(before)


_ROOT = Path(__file__).parents[3]
_USED = {
    "README.md": [],
    "support-desk/skills/ticket-triage/SKILL.md": ["support-desk/eval.yaml: all tasks (skill text)"],
    "support-desk/fixtures/tickets/1042.md": ["support-desk/eval.yaml: all tasks (fixtures)"],
    "release-notes/fixtures/app/src/main.js": ["release-notes/eval.yaml: all tasks (fixtures)"],
    "file-editor/checks/word_is_gone.py": ["file-editor/eval.yaml: 1 of 4 tasks (grader text)"],
    "file-editor/schemas/edit-report.schema.json": ["file-editor/eval.yaml: 1 of 4 tasks (grader text)"],
    "file-editor/snapshots/config/app.json": ["file-editor/eval.yaml: 1 of 4 tasks (grader text)"],
    "file-editor/fixtures/src/worker.py": ["file-editor/eval.yaml: 2 of 4 tasks (fixtures)"],
    "code-explainer/recordings/explain-retry.json": ["code-explainer/eval.yaml: all tasks (recordings)"],
    "code-explainer/trigger_tests.yaml": ["code-explainer/eval.yaml: all tasks (trigger tests)"],
    "meeting-minutes/fixtures/meeting.txt": [
        "meeting-minutes/eval.yaml: all tasks (fixtures)",
        "meeting-minutes/improved.eval.yaml: all tasks (fixtures)",
    ],
}
