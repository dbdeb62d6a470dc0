"""A third dialect from another distribution: its own kind of file, one grader type, one rule, and no file of ours edited."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DISTRIBUTION = Path(__file__).parent / "third_dialect"
FILES = DISTRIBUTION / "files"
PAGE = ROOT / "docs" / "contributing" / "add-a-dialect.md"


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run our Python with the distribution installed."""
    paths = os.pathsep.join([str(DISTRIBUTION), str(ROOT)])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


def waza_lsp(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return python("-P", "-m", "waza_lsp", *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    done = python("-m", "tests.engine.third_dialect.edits", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_findings(shown: dict[str, Any]) -> None:
    assert shown["findings"] == [[4, "Name the capital.", "no-question"], [8, "wrods", "unknown-key"]]
    assert shown["none"] == []


def test_completion(shown: dict[str, Any]) -> None:
    assert shown["types"] == ["says"]
    assert shown["options"] == ["words"]


def test_hover_and_lenses(shown: dict[str, Any]) -> None:
    assert "Words that must occur." in shown["hover"]
    assert shown["lenses"] == [["title: Europe", None], ["- id: capital", "capital"]]


def test_check() -> None:
    done = waza_lsp("check", "--format", "json", ".", cwd=FILES)
    found = json.loads(done.stdout)
    assert [(it["code"], it["dialect"], it["kind"]) for it in found["diagnostics"]] == [
        ("no-question", "quiz", "quiz")
    ]
    assert done.returncode == 0


@pytest.mark.slow
def test_run(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    quiz = FILES / "europe.quiz.yaml"
    done = waza_lsp(
        "run", str(quiz), "--output", str(results), "--store", str(tmp_path / "store"), cwd=tmp_path
    )
    assert done.returncode == 1, done.stderr
    tasks = json.loads(results.read_text("utf-8"))["tasks"]
    assert [(it["test_id"], it["status"]) for it in tasks] == [("capital", "passed"), ("river", "failed")]
    again = waza_lsp("grade", "--run", "last", "--store", str(tmp_path / "store"), cwd=tmp_path)
    assert "missing: Seine" in again.stdout


@pytest.mark.parametrize(("output", "status"), [("It is Paris.", 0), ("It is Rome.", 1)])
def test_grade(output: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "checks.yaml").write_text("- {type: says, config: {words: [Paris]}}\n", encoding="utf-8")
    (tmp_path / "answer.json").write_text(json.dumps({"output": output}), encoding="utf-8")
    done = waza_lsp(
        "grade", "--dialect", "quiz", "--graders", "checks.yaml", "--context", "answer.json", cwd=tmp_path
    )
    assert done.returncode == status, done.stderr


@pytest.mark.slow
def test_a_setting_may_name_its_rule(tmp_path: Path) -> None:
    (tmp_path / ".waza-lsp.toml").write_text('[rules]\nno-question = "off"\n', encoding="utf-8")
    (tmp_path / "a.quiz.yaml").write_text("title: a\nquestions: [{id: b, ask: c}]\n", encoding="utf-8")
    done = waza_lsp("check", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("1 eval file checked: nothing to report\n", "")


def test_the_page_shows_this_dialect() -> None:
    page = PAGE.read_text("utf-8")
    for path in sorted((DISTRIBUTION / "quiz_dialect").rglob("*.py")):
        text = (
            path.read_text("utf-8").replace("quiz_dialect", "waza_engine.dialects.quiz").replace("```", "~~~")
        )
        shown = "".join(f"   {it}\n" if it else "\n" for it in text.splitlines())
        assert shown in page, path.name
