"""What is known of a judge, and the findings that follow from it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.engine.audit.evals import recording, write_eval
from tests.engine.calibration.judged import GRADER, command, judged_eval, plan, use
from waza_engine.calibration.families import model_family
from waza_engine.calibration.findings import judge_findings
from waza_engine.calibration.judgement import Judgement
from waza_engine.calibration.standing import JudgeStanding, judge_standings
from waza_engine.calibration.subjects import run_judgements, stored_subjects
from waza_engine.calibration.thresholds import better_threshold
from waza_engine.runs.store.store import default_store_dir


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5.2", "GPT"),
        ("openai/gpt-4o", "GPT"),
        ("o3-mini", "GPT"),
        ("Claude-Sonnet-4.6", "Claude"),
        ("us.anthropic/claude-x", "Claude"),
        ("gemini-3-pro", "Gemini"),
        ("our-own", ""),
        ("", ""),
    ],
)
def test_the_family_of_a_model(model: str, family: str) -> None:
    assert model_family(model) == family


def cases(*scores: tuple[float, bool], threshold: float = 0.8) -> list[tuple[float, bool, bool]]:
    return [(score, score >= threshold, person) for score, person in scores]


def test_a_threshold_that_agrees_clearly_better_is_proposed() -> None:
    some = cases(*[(1.0, True)] * 4, *[(0.6, True)] * 3, *[(0.25, False)] * 4)
    found = better_threshold(some)
    assert found is not None
    assert (found.threshold, found.agreed, found.agreed_now, found.items) == (0.6, 11, 8, 11)


@pytest.mark.parametrize(
    "some",
    [
        pytest.param(cases(*[(1.0, True)] * 5, *[(0.6, True)] * 1, *[(0.2, False)] * 5), id="gains one"),
        pytest.param(cases(*[(1.0, True)] * 3, *[(0.6, True)] * 3, *[(0.2, False)] * 3), id="few"),
        pytest.param([*cases(*[(0.9, True)] * 12), (0.9, False, True)], id="scores do not decide"),
        pytest.param([], id="none"),
    ],
)
def test_otherwise_no_threshold_is_proposed(some: list[tuple[float, bool, bool]]) -> None:
    assert better_threshold(some) is None


def standings(path: Path, more: Sequence[Judgement] = ()) -> list[JudgeStanding]:
    known, store = plan(path), default_store_dir(path)
    judgements = [*run_judgements(known, store), *more]
    return list(judge_standings(known, judgements, list(stored_subjects(known, store)), path.parent))


def one_task(folder: Path, outputs: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an eval with a trial of its only task for each output."""
    recordings = [recording("t", it) for it in outputs]
    path = write_eval(folder, [{"id": "t", "graders": [GRADER]}], (), recordings[:1])
    for number, it in enumerate(recordings, 1):
        file = path.parent / "recordings" / f"t.{number}.json"
        file.write_text((path.parent / "recordings" / "t.json").read_text().replace(outputs[0], it["output"]))
    text = path.read_text().replace("executor: mock", "executor: replay")
    path.write_text(text.replace("trials_per_task: 1", f"trials_per_task: {len(outputs)}"))
    use(monkeypatch, lambda request: "BECAUSE" in request.message)
    assert command("run", path).exit_code == 1
    return path


def test_a_check_that_decides_as_the_judge_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = ["It fails BECAUSE_OF_DNS once", "Timeout, BECAUSE_OF_DNS again", "BECAUSE_OF_DNS, it says"]
    bad = ["It fails", "Timeout, I think", "Unknown reasons here"]
    path = one_task(tmp_path / "e", [*good, *bad], monkeypatch)
    [standing] = standings(path)
    assert standing.replacement is not None
    assert (standing.replacement.passed, standing.replacement.failed) == (3, 3)
    where, finding = list(judge_findings([standing]))[-1]
    assert (where.name, finding.code) == ("t.yaml", "replaceable-judge")
    assert finding.message.startswith("A check decides as the judge on all 6 recordings: ")
    assert '{"type": ' in finding.message
    assert "BECAUSE_OF_DNS" in finding.message


def test_a_judge_that_no_check_can_replace_has_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = ["BECAUSE one", "two, BECAUSE", "BECAUSE 3"]
    bad = ["not becauseit rains", "becauseof", "xbecause"]
    use(monkeypatch, lambda request: "BECAUSE" in request.message)
    path = one_task(tmp_path / "e", [*good, *bad], monkeypatch)
    [standing] = standings(path)
    assert standing.replacement is None
    assert [it.code for _, it in judge_findings([standing])] == ["judge-of-agent-family"]


def test_a_judge_of_the_agents_family_is_told_once_unless_people_agree_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, lambda request: "please" in request.message)
    path = judged_eval(tmp_path / "e", ["please", "no"] * 12)
    command("run", path)
    [standing] = standings(path)
    assert (standing.model, standing.family, len(standing.tasks)) == ("gpt-5.2", "GPT", 24)
    [(where, finding)] = judge_findings([standing])
    assert (where, finding.code, finding.pointer) == (path, "judge-of-agent-family", ("graders", 0))
    known = run_judgements(plan(path), default_store_dir(path))
    people = [it.model_copy(update={"person": True, "by": "me"}) for it in known]
    [agreed] = standings(path, people)
    assert agreed.record is not None
    assert agreed.record.with_people.kappa == 1.0
    assert list(judge_findings([agreed])) == []
    path.write_text(path.read_text().replace("gpt-5.2", "claude-sonnet-4.6"))
    [other] = standings(path)
    assert (other.family, other.record) == ("", None)
