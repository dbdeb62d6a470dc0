"""`waza-lsp judge`: agreement, asking again, the frozen set, and its check."""

import json
from pathlib import Path

import pytest

from tests.engine.audit.evals import recording
from tests.engine.calibration.judged import Judge, command, judged_eval, lines, use
from waza_engine.calibration.frozen import FrozenSetError, keep_judgements
from waza_engine.judges.openai import OpenAIJudge
from waza_engine.model.judge import JudgeCall, JudgeRequest, JudgeTurn

OUTPUTS = ["please", "please wait", "thanks", "no", "please go", "never", "please no", "please, never"]
KIND = ["please", "please wait", "thanks", "please go", "please, never"]
"""What the person takes for kind."""


@pytest.fixture(name="path")
def _path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an eval with a run that a judge and a person have judged. They differ on `thanks` and `please no`."""
    use(monkeypatch, says_please)
    path = judged_eval(tmp_path / "e", OUTPUTS)
    monkeypatch.chdir(path.parent)
    assert command("run", path).exit_code == 1
    keys = "".join("p" if it in KIND else "f" for it in OUTPUTS)
    assert "8 verdicts kept" in command("review", "start", "--reviewer", "me", keys=keys).stdout
    return path


def says_please(request: object) -> bool:
    return "please" in getattr(request, "message", "")


def test_agreement_is_shown_without_a_model(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = use(monkeypatch, says_please)
    shown = command("judge", "show", path).stdout
    # 4 of 5 and 2 of 3 agree: (0.75 - 0.53125) / (1 - 0.53125).
    assert "kind (gpt-5.2): 8 verdicts\n  kappa 0.47 [" in shown
    assert "6 of 8 verdicts as people said" in shown
    assert "judge: pass             4             1\n" in shown
    assert "judge: fail             1             2\n" in shown
    assert "judges: 720 tokens in, 80 out" in shown
    assert not judge.requests
    [told] = json.loads(command("judge", "show", path, "--format", "json").stdout)["judges"]
    assert (told["people"]["table"], told["flips"]["repeated"]) == ([[4, 1], [1, 2]], 0)
    assert "No judge has decided" in command("judge", "show", path, "--grader", "other").stdout


def test_asking_again_shows_flips_and_other_models(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([True, False] * 100)
    use(monkeypatch, lambda _: next(answers))
    assert "6 verdicts kept" in command("judge", "ask", path, "--repeat", 2, "--most", 3).stdout
    use(monkeypatch, says_please)
    command("judge", "ask", path, "--model", "claude-sonnet-4.6")
    shown = command("judge", "show", path).stdout
    assert "flips 3 of 3 when asked again; two answers differ in 50%" in shown
    assert "kind: claude-sonnet-4.6 and gpt-5.2" in shown


def test_a_budget_ends_the_asking(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = use(monkeypatch, says_please)
    done = command("judge", "ask", path, "--max-tokens", 250)
    assert (done.exit_code, len(judge.requests)) == (2, 2)
    assert "The limit of 250 tokens for judges is reached" in done.stderr
    assert "2 verdicts kept" in done.stdout


@pytest.mark.slow
def test_a_frozen_set_tests_a_changed_rubric_without_the_store(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = use(monkeypatch, says_please)
    first = command("judge", "freeze", path)
    assert "8 verdicts of people are in" in first.stdout, first.stderr
    assert "0 of them new" in command("judge", "freeze", path).stdout
    for it in (path.parent / ".waza-lsp").iterdir():
        it.unlink()
    unknown = command("judge", "check", path, "--no-ask")
    assert (unknown.exit_code, "8 recordings without a verdict" in unknown.stdout) == (2, True)
    accepted = command("judge", "check", path, "--accept")
    assert (accepted.exit_code, len(judge.requests)) == (0, 8)
    # An unchanged eval costs nothing, not even a judge.
    same = command("judge", "check", path, "--no-ask")
    assert (same.exit_code, "6 of 8 verdicts as people said" in same.stdout) == (0, True)
    assert command("judge", "check", path, "--no-ask", "--min-agreement", 80).exit_code == 1
    # Another rubric is another question.
    path.write_text(path.read_text().replace("helpfulness", "groundedness"))
    assert command("judge", "check", path, "--no-ask").exit_code == 2
    use(monkeypatch, lambda request: not says_please(request))
    worse = command("judge", "check", path)
    assert worse.exit_code == 0, "six became wrong and two right: chance does that, too"
    assert "now wrong: t0.json: a person said pass" in worse.stdout
    strict = command("judge", "check", path, "--strict", "--format", "json")
    assert strict.exit_code == 1
    assert json.loads(strict.stdout)["graders"][0]["became_right"] == ["t2.json", "t6.json"]
    use(monkeypatch, lambda request: not request.message.rstrip().endswith(tuple(KIND)))
    clear = command("judge", "check", path)
    assert clear.exit_code == 1
    assert "less than before: 6 verdicts became wrong, 0 right (p = 0.031)" in clear.stdout


def test_what_cannot_be_read_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, says_please)
    assert "has no frozen set" in command("judge", "check", path).stderr
    command("judge", "freeze", path)
    folder = path.parent / "recordings" / "judged"
    (folder / "t0.json").write_text("{")
    with (folder / "verdicts.jsonl").open("a") as file:
        file.write('{"recording": "../../x", "grader": "kind"\n[1]\nnull\n')
    done = command("judge", "check", path)
    assert done.exit_code == 2
    assert "t0.json is not valid JSON" in done.stderr
    assert "7 verdicts" in done.stdout
    assert len(lines(path.parent / ".waza-lsp" / "reviews.jsonl")) == 8
    # Numbers that are none count nothing, and a link out of the suite is never written through.
    usage = '{"input_tokens": NaN, "output_tokens": 1e400, "cost": -Infinity}'
    kept = f'{{"recording": "x", "grader": "kind", "passed": true, "score": 1, "turns": [{{"request": "a", "usage": {usage}}}]}}\n'
    (path.parent / ".waza-lsp" / "judgements.jsonl").write_text(kept)
    shown = command("judge", "show", path, "--format", "json")
    assert [it["input_tokens"] for it in json.loads(shown.stdout)["judges"]] == [0, 720]
    outside = path.parent.parent / "outside"
    folder.rename(outside)
    folder.symlink_to(outside)
    with pytest.raises(FrozenSetError, match="cannot be written"):
        keep_judgements(path, [])


def test_without_a_judge_it_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(path.parent)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert "No judge is configured" in command("judge", "ask", path).stderr


VALLY = """\
name: notes
type: capability
defaults: {{runs: 1, executor: replay, model: claude-sonnet-4.6}}
stimuli:
{stimuli}
"""
STIMULUS = """\
  - name: {name}
    prompt: Take notes
    graders:
      - {{type: prompt, name: clear, config: {{prompt: Is it clear?, scoring: scale_1_10, threshold: 0.9}}}}
"""


def test_vally_s_judges_are_measured_and_a_better_threshold_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [10, 10, 10, 10, 7, 7, 7, 3, 3, 3, 1, 1]
    names = [f"s{number}" for number in range(len(points))]

    class Grading(Judge):
        def turn(self, request: JudgeRequest) -> JudgeTurn:
            self.requests.append(request)
            score = next(it for name, it in zip(names, points, strict=True) if f"<{name}>" in request.message)
            return JudgeTurn((JudgeCall("submit_grade", {"score": score, "reasoning": "r"}),))

    judge = Grading(says_please)
    monkeypatch.setattr(OpenAIJudge, "from_environment", lambda *_, **__: judge)
    path = tmp_path / "eval.yaml"
    path.write_text(VALLY.format(stimuli="".join(STIMULUS.format(name=it) for it in names)))
    (tmp_path / "recordings").mkdir()
    for it in names:
        (tmp_path / "recordings" / f"{it}.json").write_text(json.dumps(recording(it, f"<{it}>")))
    monkeypatch.chdir(tmp_path)
    run = command("run", path)
    assert run.exit_code == 1, run.output
    keys = "".join("p" if it >= 7 else "f" for it in points)
    reviewed = command("review", "start", "--reviewer", "me", keys=keys)
    assert "12 verdicts kept" in reviewed.stdout, reviewed.output
    assert "Is it clear?" in reviewed.stdout
    shown = command("judge", "show", path).stdout
    assert "clear (claude-sonnet-4.6): 12 verdicts\n  kappa 0.53" in shown, shown
    assert "would agree with people on 12 of 12 recordings, the present one agrees on 9" in shown
    command("judge", "freeze", path)
    command("judge", "check", path, "--accept")
    asked = len(judge.requests)
    # Another threshold is the same question: nobody is asked.
    path.write_text(path.read_text().replace("threshold: 0.9", "threshold: 0.6"))
    checked = command("judge", "check", path, "--no-ask")
    assert (checked.exit_code, "kappa 1.00" in checked.stdout) == (0, True), checked.output
    assert len(judge.requests) == asked
