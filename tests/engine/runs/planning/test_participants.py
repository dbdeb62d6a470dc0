"""Runs whose graders need a judge."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.judges.openai import OpenAIJudge
from waza_engine.model.suite import GraderEntry
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Overrides, make_plan

PROMPT = GraderEntry("prompt", "nice", config={"prompt": "Is it nice?"})


async def test_without_a_judge_the_agent_is_not_started(bench: Bench, scripted: Scripted) -> None:
    record = await bench.run(bench.suite(task("a"), graders=(contains("hello"), PROMPT)), scripted)
    only = record.tasks[0].trials[0]
    assert (only.status, scripted.requests) == ("error", [])
    assert "OPENAI_API_KEY" in only.error


@pytest.mark.parametrize(
    ("graders", "environment", "made"),
    [
        ((PROMPT,), {"OPENAI_API_KEY": "k"}, True),
        ((PROMPT,), {"OPENAI_BASE_URL": "http://localhost:1"}, True),
        ((PROMPT,), {}, False),
        ((contains("x"),), {"OPENAI_API_KEY": "k"}, False),
    ],
)
def test_a_judge_is_created_only_if_needed_and_configured(
    bench: Bench, graders: Any, environment: Mapping[str, str], made: Any
) -> None:
    plan = make_plan(bench.suite(task("a"), graders=graders, settings={"model": "m"}), Overrides())
    judge = judge_for(plan, environment)
    assert isinstance(judge, OpenAIJudge) is made
    if isinstance(judge, OpenAIJudge):
        assert judge.model == "m"
