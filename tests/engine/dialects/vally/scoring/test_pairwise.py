"""Compare two recorded runs with a judge, and read results back.

See docs/reference/vally.md, sections 7.11 and 10.2.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.vally.scoring.pairwise import Preference, comparison_record, pairs_of
from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.judges.scripted import ScriptedJudge
from waza_engine.model.judge import JudgeCall, JudgeRequest, JudgeTurn
from waza_engine.model.results.records import RunRecord
from waza_engine.project.load_suite import load_suite
from waza_engine.reports.results.read import ResultsError, read_results
from waza_engine.reports.results.read_jsonl import read_jsonl
from waza_engine.reports.results.write import results_json
from waza_engine.reports.results.write_jsonl import results_lines
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.trial.grade import Bench

EXAMPLE = Path(__file__).parents[5] / "examples" / "release-notes"


@pytest.fixture
async def recorded(tmp_path: Path) -> RunRecord:
    suite = load_suite(EXAMPLE / "eval.yaml", process_dir=tmp_path)
    return await run_suite(
        Bench(
            make_plan(suite, Overrides(executor="replay")), ReplayExecutor(ExecutorOptions(EXAMPLE)), tmp_path
        ),
        RunOutputs(lambda _: None, tmp_path),
        "r",
    )


def _write_results(record: RunRecord, path: Path) -> Path:
    path.write_text("".join(results_lines(record)), encoding="utf-8")
    return path


@pytest.mark.slow
async def test_results_are_equal_after_a_round_trip(recorded: RunRecord, tmp_path: Path) -> None:
    again = read_jsonl(_write_results(recorded, tmp_path / "results.jsonl"))
    assert (again.status, again.suite_name, again.scoring) == (
        recorded.status,
        "release-notes",
        recorded.scoring,
    )
    for was, now in zip(recorded.tasks, again.tasks, strict=True):
        assert (now.task, now.status) == (was.task, was.status)
        for one, other in zip(was.trials, now.trials, strict=True):
            assert (other.trial, other.status) == (one.trial, one.status)
            assert other.score == pytest.approx(one.score)
            assert [it.status for it in other.graders] == [it.status for it in one.graders]
    # The data for graders survives as well: written again, the trajectories are equal.
    lines = [json.loads(it) for it in results_lines(recorded)]
    for line, rewritten in zip(lines, results_lines(again), strict=True):
        for part in ("events", "output"):
            assert line.get("trajectory", {}).get(part) == json.loads(rewritten).get("trajectory", {}).get(
                part
            )


async def test_an_output_may_contain_unicode_line_separators(recorded: RunRecord, tmp_path: Path) -> None:
    first = recorded.tasks[0]
    trial = first.trials[0]
    said = trial.trajectory.model_copy(
        update={"output": "one\u2028two\u2029three\u0085four", "transcript": []}
    )
    odd = replace(recorded, tasks=(replace(first, trials=[replace(trial, trajectory=said)]),))
    path = _write_results(odd, tmp_path / "results.jsonl")
    assert "\u2028" in path.read_text(encoding="utf-8")
    assert read_jsonl(path).tasks[0].trials[0].trajectory.output == said.output


@pytest.mark.slow
async def test_other_formats_of_results_are_equivalent(recorded: RunRecord, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(results_json(recorded), encoding="utf-8")
    again = read_results(path)
    assert (again.status, again.scoring) == (recorded.status, recorded.scoring)
    for was, now in zip(recorded.tasks, again.tasks, strict=True):
        assert [it.score for it in now.trials] == pytest.approx([it.score for it in was.trials])


@pytest.mark.slow
async def test_the_folder_of_a_run_is_accepted(recorded: RunRecord, tmp_path: Path) -> None:
    _write_results(recorded, tmp_path / "results.jsonl")
    assert len(read_jsonl(tmp_path).tasks) == 3


@pytest.mark.parametrize("text", ["", "[]\n", "{}\n", "{\n", '{"type": "run-summary"}\n'])
def test_a_file_without_trials_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match=r"x\.jsonl"):
        read_jsonl(path)


def _preference(winner: str, magnitude: str = "slightly-better") -> list[JudgeCall]:
    arguments = {"criteria": [], "winner": winner, "magnitude": magnitude, "reasoning": "so"}
    return [JudgeCall("submit_pairwise_grade", arguments)]


def _comparison(record: RunRecord, judge: Any) -> dict[str, Any]:
    pairs = list(pairs_of(record, record, Preference(judge, None, sleep=lambda _: None)))
    return comparison_record(record, record, ("before", "after"), pairs)


@pytest.mark.slow
async def test_a_judge_is_asked_twice_for_each_pair(recorded: RunRecord) -> None:
    # The treatment is A, then B. Six pairs: better, worse, contradictory, much better, tie, no answer.
    turns = [
        *(_preference("A"), _preference("B")),
        *(_preference("B"), _preference("A")),
        *(_preference("A"), _preference("A")),
        *(_preference("A", "much-better"), _preference("B", "much-better")),
        *(_preference("tie", "equal"), _preference("tie", "equal")),
    ]
    found = _comparison(recorded, ScriptedJudge(turns))
    summary = found["summary"]
    assert (summary["trialCount"], summary["erroredCount"]) == (5, 1)
    assert (summary["wins"], summary["ties"], summary["losses"]) == (2, 2, 1)
    assert summary["winRate"] == pytest.approx(0.4)
    assert summary["meanScore"] == pytest.approx((0.4 - 0.4 + 0 + 1 + 0) / 5)
    assert summary["ciLow"] <= summary["meanScore"] <= summary["ciHigh"]
    trials = [it for stimulus in found["stimuli"] for it in stimulus["trials"]]
    assert [(it["winner"], it["magnitude"], it["score"]) for it in trials] == [
        ("treatment", "slightly-better", 0.4),
        ("baseline", "slightly-better", -0.4),
        ("tie", "equal", 0.0),
        ("treatment", "much-better", 1.0),
        ("tie", "equal", 0.0),
        ("tie", "equal", 0.0),
    ]
    assert trials[-1]["errored"] is True
    assert summary["mcnemar"] == {
        "baselineOnly": 0,
        "treatmentOnly": 0,
        "concordant": 5,
        "pValue": 1.0,
        "exact": True,
    }


class _Listener:
    """A judge that records its requests and always answers with a tie."""

    def __init__(self) -> None:
        self.told: list[JudgeRequest] = []

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.told.append(request)
        return JudgeTurn(_preference("tie", "equal"))

    def reply(self, message: str, model: str = "") -> Any:
        raise AssertionError(message + model)


@pytest.mark.slow
async def test_the_judge_gets_the_rubric_of_the_stimulus(recorded: RunRecord, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(
        "defaults: {judge_model: small}\nstimuli:\n  - name: writes-the-notes\n    prompt: p\n"
        "    rubric: [short and warm]\n    graders: [{type: prompt, config: {prompt: Be strict.}}]\n",
        encoding="utf-8",
    )
    judge = _Listener()
    suite = load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)
    list(pairs_of(recorded, recorded, Preference(judge, suite)))
    first: Sequence[JudgeRequest] = judge.told[:2]
    assert all("short and warm" in it.system_message and "Be strict." in it.system_message for it in first)
    assert {it.model for it in first} == {"small"}
    assert "short and warm" not in judge.told[-1].system_message
    assert len(judge.told) == 12


async def test_a_change_of_verdicts_is_tested(recorded: RunRecord, tmp_path: Path) -> None:
    lines = [json.loads(it) for it in results_lines(recorded)]
    for it in lines[:-1]:
        it["gradeResult"]["passed"] = False
    path = tmp_path / "worse.jsonl"
    path.write_text("".join(json.dumps(it) + "\n" for it in lines[:-2]), encoding="utf-8")
    worse = read_jsonl(path)
    pairs = list(pairs_of(recorded, worse, Preference(_Listener())))
    found = comparison_record(recorded, worse, ("a", "b"), pairs)
    assert found["summary"]["mcnemar"]["baselineOnly"] == 4
    assert found["summary"]["mcnemar"]["pValue"] == pytest.approx(0.125)
    assert found["unmatchedBaseline"] == [{"stimulusName": "says-what-it-cannot-know", "trialIndex": 1}]
    assert found["unmatchedTreatment"] == []
