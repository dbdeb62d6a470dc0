"""`waza-lsp review start`: verdicts with one key each."""

from pathlib import Path

import pytest

from tests.cli.test_review import EVAL
from tests.engine.calibration.judged import command, judged_eval, lines, use


def reviews(folder: Path) -> list[tuple[object, ...]]:
    told = lines(folder / ".waza-lsp" / "reviews.jsonl")
    return [(it["task"], it["grader"], it["passed"], it["comments"]) for it in told]


def test_each_key_is_a_verdict_and_the_judge_is_shown_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, lambda request: "please" in request.message)
    path = judged_eval(tmp_path / "e", ["please", "thanks", "please wait", "no"])
    monkeypatch.chdir(path.parent)
    command("run", path)
    report = command("report").stdout
    done = command("review", "start", "--reviewer", "me", keys="pxnrude\nfsq")
    before, _, after = done.stdout.partition("kept: pass. The judge said: pass")
    assert "1 of 4  t0  trial 1  kind" in before
    assert "better off" in before
    assert "The judge said" not in before
    assert "kept: fail. The judge said: fail" in after
    assert "2 verdicts kept, 2 left" in after
    assert reviews(path.parent) == [("t0", "kind", True, ""), ("t1", "kind", False, "rude")]
    # What is decided is not asked again, and verdicts on a judge's verdict do not change the run.
    again = command("review", "start", "--reviewer", "me", "--grader", "kind", keys="q")
    assert "1 of 2  t2" in again.stdout
    assert "Nothing to decide" in command("review", "start", "--grader", "other").stdout
    assert command("report").stdout == report


def test_what_waits_for_a_person_is_asked_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "task.yaml").write_text("id: a\nname: a\ninputs: {prompt: hi}\n", encoding="utf-8")
    command("run", "eval.yaml")
    done = command("review", "start", "--reviewer", "me", keys="p")
    assert "- Is it polite?" in done.stdout
    assert "The judge said" not in done.stdout
    assert "No pending reviews" in command("review", "list").stdout
