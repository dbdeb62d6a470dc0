"""The pages for contributors, followed to the letter in a copy of the project."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "contributing"
COPIED = ("engine", "waza_lsp", "schemas", "docs", "tests", "examples", "pyproject.toml", "README.md")
_STEP = re.compile(
    r"(?:File `(?P<file>[^`]+)`|In `(?P<edited>[^`]+)`, (?P<side>above|below) `(?P<line>[^`]+)`)?:?\s*\n\n"
    r" {3}```(?P<language>\w+)\n(?P<body>.*?)\n {3}```",
    re.DOTALL,
)
_PROGRAMS = {
    "python": [sys.executable],
    "pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
    "waza-lsp": [sys.executable, "-m", "waza_lsp"],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project, with its byte code: each command would compile all modules anew."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("node_modules", ".waza-lsp", "images", "editors")
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def steps(page: str) -> Iterator[re.Match[str]]:
    found = list(_STEP.finditer((PAGES / page).read_text(encoding="utf-8")))
    assert len(found) == (PAGES / page).read_text(encoding="utf-8").count("   ```") // 2
    yield from found


def follow(page: str, project: Path) -> list[subprocess.CompletedProcess[str]]:
    """Do what each step of a page says; the commands that were run."""
    done: list[subprocess.CompletedProcess[str]] = []
    for step in steps(page):
        body = textwrap.dedent(step["body"]).replace("~~~", "```")
        if step["language"] == "sh":
            done += [run(it, project) for it in body.splitlines()]
        elif step["file"]:
            path = project / step["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body + "\n", encoding="utf-8")
        else:
            # Relative indentation counts here: what stands deeper than the fence stays so.
            exact = "\n".join(it.removeprefix("   ") for it in step["body"].splitlines())
            path, line = project / step["edited"], step["line"] + "\n"
            text = path.read_text(encoding="utf-8")
            assert text.count(line) == 1
            new = f"{exact}\n{line}" if step["side"] == "above" else f"{line}{exact}\n"
            path.write_text(text.replace(line, new), encoding="utf-8")
    return done


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    paths = os.pathsep.join(str(it) for it in (project / "engine", project))
    done = subprocess.run(
        [*_PROGRAMS[program], *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done


@pytest.mark.slow
def test_add_a_grader(project: Path) -> None:
    *_made, checked, performed, tested = follow("add-a-grader.md", project)
    assert checked.returncode == performed.returncode == tested.returncode == 0, tested.stdout
    assert "length" in (project / "schemas" / "eval.schema.json").read_text(encoding="utf-8")
    assert "# " in (project / "docs" / "graders" / "length.md").read_text(encoding="utf-8")
    broken = project / "try" / "eval.yaml"
    broken.write_text(broken.read_text(encoding="utf-8").replace("most:", "mots:"), encoding="utf-8")
    assert "Did you mean 'most'" in run("waza-lsp check try", project).stdout


@pytest.mark.slow
def test_add_a_rule(project: Path) -> None:
    _pages, tested, found, mended = follow("add-a-rule.md", project)
    assert tested.returncode == 0, tested.stdout
    assert "shouted-name" in found.stdout
    assert mended.returncode == 0
    assert "name: First task" in (project / "try" / "tasks" / "first.yaml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_add_a_mutation(project: Path) -> None:
    tested, audited = follow("add-a-mutation.md", project)
    assert tested.returncode == 0, tested.stdout
    assert "cut-opening" in json.loads(audited.stdout)["agents_and_mutations"]


@pytest.mark.slow
def test_add_a_request(project: Path) -> None:
    [_, tested] = follow("add-a-request.md", project)
    assert tested.returncode == 0, tested.stdout
    path = project / "answers.py"
    path.write_text(
        "from waza_lsp.server.handlers.requests import REQUESTS\n"
        "print([it.method for it in REQUESTS if it.method == 'textDocument/declaration'])\n",
        encoding="utf-8",
    )
    assert "textDocument/declaration" in run("python answers.py", project).stdout


@pytest.mark.slow
def test_add_a_dialect(project: Path) -> None:
    *_made, checked, performed, graded = follow("add-a-dialect.md", project)
    assert "no-question" in checked.stdout
    assert "1 of 2 tasks passed" in performed.stdout
    assert graded.returncode == 0, graded.stdout
    assert (project / "schemas" / "quiz" / "quiz.schema.json").is_file()
    assert "# no-question" in (project / "docs" / "rules" / "no-question.md").read_text(encoding="utf-8")
