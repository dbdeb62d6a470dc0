"""Pull requests that are built for it, through the steps of action.yml and a stand-in of GitHub: what the comment says."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.ci.conftest import Project
from tests.repositories import TASK
from waza_lsp.cli import main

MARK = "<!-- waza-lsp:waza-lsp -->"
HOSTILE = "@everyone ![x](https://evil.example/x.png) <img src=x onerror=1> `` `a` #12\\n::error::y | $(touch z) ${{ x }} \x1b[2J\u202e"
"""A name that tries mentions, pictures, markup, references, commands of a workflow and of a shell."""


@pytest.mark.slow
def test_a_changed_skill_and_a_second_push(project: Project) -> None:
    project.push()
    project.repository.replace("skills/alpha/SKILL.md", "well", "better")
    job = project.pull_request()
    assert job.is_green, job.output
    [body] = project.github.bodies
    assert body.startswith(f"{MARK}\n## waza-lsp: ✅ passed\n"), body
    base = project.repository.git("rev-parse", "main")[:8]
    assert f"1 skill changed, 1 of 2 evals run. Compared with `main` at `{base}`." in body
    assert "**✅** `alpha` 1.00 -> 1.00 (n = 2, cannot be shown with this many)" in body
    assert "- 2 tasks passed, with the same scores" in body
    assert "`beta`" not in body
    link = f"https://github.com/someone/evals/actions/runs/{job.run}/artifacts/"
    assert f"[Traces and reports of this run]({link}" in body
    assert "## waza-lsp: ✅ passed" in job.summary
    # The second push breaks a grader.
    project.repository.replace("evals/beta/eval.yaml", '"Write"', '"moon"')
    job = project.pull_request()
    assert not job.is_green
    [body] = project.github.bodies
    assert "## waza-lsp: ❌ failed" in body
    assert "**❌** `beta` 1.00 -> 0.00 (n = 1, cannot be shown with this many)" in body
    assert "evals/beta/eval.yaml:" in body
    assert '"moon" not found in the output' in body
    assert (
        '::error file=evals/beta/eval.yaml,line=15,title=three::"moon" not found in the output' in job.output
    )
    assert any(it.startswith("PATCH") for it in project.github.requests)
    files = {
        it.relative_to(job.temporary / "evals").parts[0] for it in (job.temporary / "evals").rglob("*.*")
    }
    assert files == {"comment.md", "summary.json", "findings.sarif", "results", "junit", "html", "traces"}
    # Updated once more, after somebody has deleted the comment; people may quote the mark.
    project.github.comments.clear()
    project.github.add_comment(f"{MARK}\nI quote this")
    project.repository.git("checkout", "-q", "main", "--", "evals/beta")
    assert project.pull_request().is_green
    assert [it.startswith(f"{MARK}\n## waza-lsp: ✅") for it in project.github.bodies] == [False, True]


@pytest.mark.slow
def test_what_does_not_change_a_verdict_runs_nothing(project: Project) -> None:
    """Only documents, a renamed eval and a deleted task."""
    repository = project.repository
    repository.write("README.md", "More\n")
    repository.git("mv", "evals/beta", "evals/gamma")
    (repository.root / "evals/alpha/tasks/two.yaml").unlink()
    assert project.pull_request().is_green
    [body] = project.github.bodies
    assert "0 of 2 evals run." in body
    assert "**Audit" not in body


@pytest.mark.slow
def test_several_evals_change_in_several_ways(project: Project) -> None:
    """A fixture, a new task, a new eval, a removed one, and files with findings."""
    project.repository.add_eval("delta", "nine")
    project.repository.git("switch", "-q", "main")
    project.repository.commit()
    project.push()
    project.repository.git("rebase", "-q", "main")
    repository = project.repository
    repository.replace("evals/alpha/fixtures/notes.md", "Notes", "Sketches")
    repository.write("evals/beta/tasks/four.yaml", TASK.format(id="four"))
    repository.add_eval("gamma", "five", expected="moon")
    repository.replace("evals/gamma/eval.yaml", "metrics: []", "metrics: []\nunheard_of: 1")
    repository.git("rm", "-rq", "evals/delta")
    job = project.pull_request()
    assert not job.is_green
    [body] = project.github.bodies
    assert "1 skill changed, 3 of 3 evals run" in body
    assert "changed: `fixtures`" in body
    assert "changed: `new task`" in body
    assert re.search(
        r"`gamma` 0\.00 \(n = 1, no earlier run\)\n`evals/gamma/eval.yaml`, changed: `new eval`", body
    )
    assert "Removed evals: `evals/delta/eval.yaml`" in body
    assert "**Check:**" in body
    assert "`unknown-key`" in body
    assert re.search(r"::\w+ file=evals/gamma/eval.yaml,line=\d+,.*title=unknown-key", job.output)


SINGLE = [
    ("evals/alpha/tasks/one.yaml", "Write one", "Write ONE", "alpha", "changed: `task text`"),
    ("evals/alpha/tasks/one.yaml", "name: one", "# A comment\nname: one", "", ""),
    ("evals/beta/eval.yaml", "some-model", "other-model", "beta", "changed: `model`"),
    ("evals/beta/eval.yaml", "name: writes", "name: writes-it", "beta", "changed: `grader text`"),
    ("evals/beta/eval.yaml", "trials_per_task: 1", "trials_per_task: 2", "", ""),
    ("skills/beta/SKILL.md", "Writes beta", "Writes all of beta", "beta", "1 skill changed"),
    ("evals/alpha/fixtures/notes.md", "Notes", "Sketches", "alpha", "changed: `fixtures`"),
    ("evals/beta/tasks/three.yaml", "Write three", "Write all three", "beta", "changed: `task text`"),
    ("evals/beta/eval.yaml", '["Write"]', '["Write", "three"]', "beta", "changed: `grader text`"),
]
"""Pull requests with one change: the file, what is replaced by what, the eval that runs, and what the comment says."""


@pytest.mark.slow
def test_one_change_runs_the_eval_that_it_is_of(project: Project) -> None:
    project.push()
    repository = project.repository
    for path, old, new, runs, said in SINGLE:
        repository.git("reset", "-q", "--hard", "main")
        repository.replace(path, old, new)
        project.number += 1
        project.github.comments.clear()
        assert project.pull_request().is_green
        [body] = project.github.bodies
        assert f"{int(bool(runs))} of 2 evals run" in body
        assert said in body
        assert {it for it in ("alpha", "beta") if f"`{it}`" in body} == ({runs} if runs else set())


@pytest.mark.slow
def test_no_base_runs_and_broken_evals(project: Project) -> None:
    repository = project.repository
    repository.replace("evals/alpha/eval.yaml", "executor: mock", "executor: acp")
    repository.write("evals/beta/eval.yaml", "name: [")
    job = project.pull_request()
    assert not job.is_green
    assert job.steps["run"]["status"] == "2"
    [body] = project.github.bodies
    assert "⚠️" in body
    assert "evals/beta/eval.yaml:1:" in body
    assert "GitHub has no runs of 'main' yet" in job.output


def test_only_recordings_are_graded(project: Project) -> None:
    repository = project.repository
    repository.replace("skills/beta/SKILL.md", "well", "better")
    for name in ("one", "two"):
        recording = {"version": 1, "output": "Write it", "status": "passed"}
        repository.write(f"evals/alpha/recordings/{name}.json", json.dumps(recording))
    project.inputs = {"recordings-only": "true", "audit": "false"}
    job = project.pull_request()
    assert job.is_green, job.output
    [body] = project.github.bodies
    assert "(recordings graded)" in body
    assert "evals/beta/eval.yaml: it has no recordings" in job.output
    assert "with mock" not in job.output


@pytest.mark.slow
def test_a_fork_with_hostile_names(project: Project) -> None:
    """The first workflow may not comment, the second one makes the comment from data."""
    project.push()
    repository = project.repository
    quoted = json.dumps(HOSTILE)
    repository.write("evals/alpha/tasks/one.yaml", f"id: one\nname: {quoted}\ninputs: {{prompt: x}}\n")
    repository.replace("evals/alpha/eval.yaml", "name: alpha", f"name: {quoted}")
    repository.replace("evals/alpha/eval.yaml", '"Write"', json.dumps(f"{HOSTILE} moon"))
    first = project.pull_request(is_fork=True, branch="main")
    assert not first.is_green
    assert not first.did("Comment")
    assert project.github.bodies == []
    # All our output is one line each, and none of it begins with the stranger's command.
    assert not re.search(r"^\s*::error::y", first.output, re.MULTILINE)
    second = project.follow(first)
    assert second.is_green, second.output
    assert not list(second.workspace.iterdir())
    [body] = project.github.bodies
    _require_inert(body)
    assert f"/actions/runs/{first.run}/artifacts/" in body
    # A branch of the fork that is called main is not ours, so nothing is compared with its runs.
    project.repository.replace("evals/beta/eval.yaml", '"Write"', '"W"')
    project.pull_request()
    assert "Compared with `main`" in project.github.bodies[0]


def _require_inert(body: str) -> None:
    """Check that a stranger's words only stand in code."""
    blocks = re.sub(r"^(`{3,})text\n.*?^\1$", "", body, flags=re.MULTILINE | re.DOTALL)
    tags = re.sub(r"<code>[^<\n]*</code>", "", blocks)
    assert tags.count("<details") == tags.count("</details>") > 0
    plain = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", tags)
    for word in ("@everyone", "evil.example", "<img", "::error", "$(touch", "#12"):
        assert word in body, word
        assert word not in plain, plain
    assert not re.search(r"^\s*::", body, re.MULTILINE)


@pytest.mark.slow
def test_huge_output_fits_into_a_comment(project: Project) -> None:
    repository = project.repository
    for number in range(32):
        name = f"{number:03}" + "\u00fc\U0001f4a5 " * 90
        repository.write(
            f"evals/beta/tasks/t{number}.yaml", f"id: t{number}\nname: {name}\ninputs: {{prompt: x}}\n"
        )
    texts = ", ".join(f'"{it} {"moon " * 50}"' for it in range(40))
    repository.replace("evals/beta/eval.yaml", '["Write"]', f"[{texts}]")
    project.inputs = {"audit": "false"}
    job = project.pull_request()
    assert not job.is_green
    [body] = project.github.bodies
    assert 50_000 < len(body.encode()) <= 65_536
    assert "does not fit into a comment" in body
    assert body.count("<details") == body.count("</details>")


@pytest.mark.slow
def test_the_base_branch_keeps_the_runs_of_what_did_not_change(project: Project) -> None:
    project.push()
    project.repository.git("switch", "-q", "main")
    project.repository.replace("evals/alpha/tasks/one.yaml", "Write one", "Write 1")
    project.repository.commit()
    project.repository.git("switch", "-q", "topic")
    job = project.push()
    assert "1 of 2 evals run, since " in job.output
    names = sorted(it.name for it in (job.temporary / "evals/results").iterdir())
    assert [it[:11] for it in names] == ["evals-alpha", "evals-beta-"]
    # The eval ran as a whole, so that later runs can compare each of its tasks.
    assert "PASS  two" in job.output
    assert not job.did("Comment")


@pytest.mark.slow
def test_a_shallow_clone_is_a_problem_that_the_comment_names(project: Project, tmp_path: Path) -> None:
    project.repository.commit()
    project.repository.git(
        "clone", "-q", "--depth", "1", project.repository.root.as_uri(), str(tmp_path / "shallow")
    )
    project.repository.root = tmp_path / "shallow"
    project.repository.git("branch", "-q", "main", "HEAD")
    project.inputs = {"since": "0" * 39 + "1"}
    job = project.pull_request()
    assert job.steps["run"]["status"] == "2"
    [body] = project.github.bodies
    assert "fetch-depth: 0" in body
    assert "0 of 2 evals run." in body


@pytest.mark.slow
def test_a_judge_that_is_down_is_no_failure(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{project.github.url}/judge")
    monkeypatch.setenv("OPENAI_API_KEY", "of-a-judge")
    project.repository.replace(
        "evals/beta/eval.yaml",
        "tasks: [",
        "  - type: prompt\n    name: judged\n    config: {prompt: Is it good?}\ntasks: [",
    )
    project.inputs = {"audit": "false"}
    project.github.failures = [("POST", "/judge/", 503, {"Retry-After": "0"})] * 20
    job = project.pull_request()
    assert job.steps["run"]["status"] == "3", job.output
    [body] = project.github.bodies
    assert "## waza-lsp: ⚠️ not everything could be judged" in body
    assert "❌" not in body


def test_on_a_machine_of_one_s_own(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without GitHub, and with one folder for the runs of the base branch and the new ones."""
    monkeypatch.chdir(project.repository.root)
    for name in ("GITHUB_EVENT_PATH", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_NAME"):
        monkeypatch.delenv(name, raising=False)
    folder = project.folder / "base"

    def ran(*arguments: str) -> Result:
        return CliRunner().invoke(
            main, ["ci", "run", "evals", "--no-audit", "--output", str(folder), *arguments]
        )

    assert (first := ran("--of-base")).exit_code == 0, first.output
    # An eval that only moved has no stored run under its new name, so it runs.
    project.repository.git("mv", "evals/alpha", "evals/gamma")
    moved = project.folder / "moved"
    again = ran("--of-base", "--base", str(folder), "--output", str(moved))
    assert again.exit_code == 0, again.output
    assert sorted(it.name[:11] for it in (moved / "results").iterdir()) == ["evals-beta-", "evals-gamma"]
    assert "evals/beta" not in again.output
    project.repository.git("mv", "evals/gamma", "evals/alpha")
    project.repository.replace("evals/beta/eval.yaml", '"Write"', '"moon"')
    second = ran("--since", "main", "--base", str(folder), "--run-options", "--trials 2")
    assert second.exit_code == 1, second.output
    assert "::" not in second.output
    printed = CliRunner().invoke(main, ["report", str(folder), "--format", "github"]).stdout
    assert "**❌** `beta` 1.00 -> 0.00 (n = 1, cannot be shown with this many)" in printed
    assert "- ❌ `three` 1.00 -> 0.00 (n = 1 and 2, cannot be shown with this many)" in printed
    assert (folder / "comment.md").read_text(encoding="utf-8").partition("\n")[2].strip() == printed.strip()
    results = sorted(map(str, (folder / "results").iterdir()))
    compared = CliRunner().invoke(main, ["report", results[1], "--against", results[0], "--format", "github"])
    assert "`beta`" in compared.stdout
    for options in ("--junit x.xml", "--trials", "--resume", "--model a --model b"):
        assert ran("--run-options", options).exit_code == 2


def test_pull_request_target_is_refused(project: Project) -> None:
    job = project.pull_request(event="pull_request_target")
    assert not job.is_green
    assert "gives secrets to the code of strangers" in job.output
    assert not job.did("Comment")
