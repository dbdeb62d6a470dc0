"""The evidence of failed checks in JUnit reports."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.reports.html.pages import failing
from tests.engine.runs.bench import Bench, Scripted
from waza_engine.model.results.records import CheckpointOutcome, RunRecord
from waza_engine.model.suite import Scoring
from waza_engine.reports.junit import junit_xml


def cases(record: RunRecord) -> list[ET.Element]:
    return list(ET.fromstring(junit_xml(record)).iter("testcase"))  # noqa: S314  # our own text


@pytest.mark.parametrize("scoring", [None, Scoring()])
async def test_a_failed_case_has_the_place_of_its_first_failed_check(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch, scoring: Scoring | None
) -> None:
    monkeypatch.chdir(bench.folder)
    record = replace(await failing(bench, scripted), scoring=scoring)
    good, bad = cases(record)
    assert (good.get("file"), good.get("line")) == (None, None)
    assert (bad.get("file"), bad.get("line")) == ("eval.yaml", "7")
    # A path outside of the working directory and of every repository stays whole.
    monkeypatch.chdir("/")
    assert Path(cases(record)[1].get("file") or "") == bench.folder / "eval.yaml"
    # A file that has changed since has no line.
    (bench.folder / "eval.yaml").write_text("graders: [{type: text, name: other}]", encoding="utf-8")
    assert cases(record)[1].get("line") is None


async def test_a_failed_case_has_the_evidence_below_each_line_of_waza(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.folder)
    record = await failing(bench, scripted)
    lines = (cases(record)[1][0].text or "").splitlines()
    assert [it.partition(" \u2014 ")[0] for it in lines if not it.startswith(" ")] == [
        "[FAIL] says (text): score=0.00",
        "[FAIL] wrote (file): score=0.00",
        "[FAIL] looked (): score=0.00",
    ]
    start = lines.index("    eval.yaml:8")
    assert lines[start + 1] == "    wanted: not_contains: bad word"
    assert lines[start + 2].startswith("    found: line 2: 'says a bad word")
    assert lines[start + 3] == "        1  first"


async def test_the_graders_of_checkpoints_are_listed_too(bench: Bench, scripted: Scripted) -> None:
    record = await failing(bench, scripted)
    [trial] = record.tasks[1].trials
    checkpoint = CheckpointOutcome(2, "failed", trial.graders[:1])
    task = replace(record.tasks[1], trials=(replace(trial, graders=(), checkpoints=(checkpoint,)),))
    [bad] = cases(replace(record, tasks=(task,)))
    assert (bad[0].text or "").startswith("[FAIL] after turn 2: says (text): score=0.00")
    assert "wanted: contains: hello" in (bad[0].text or "")
