"""The forecast of a run's cost from earlier runs, and the question before an expensive one."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.results.test_annotations import TASK, task_file
from tests.server.results_harness import Editor, editor, plain, until
from tests.server.runs.test_other_executor import User
from waza_engine.runs.history import TaskCost
from waza_lsp.runnables.forecast import Forecast


async def run(it: Editor, **options: Any) -> Any:
    return plain(await it.execute("waza.runTask", uri=it.uri, task=TASK, **options))


async def test_an_expensive_run_is_asked_about(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"run": {"askAboveTokens": 1000}}) as it:
        user = User(it, "Cancel")
        it.open(task_file(suite))
        # The recording has the tokens of the agent. Without an earlier run, and for free runs, nobody is asked.
        for _ in range(2):
            assert (await run(it, executor="replay"))["status"] == "passed"
        assert not user.asked
        assert "tokens" in (await it.lenses_with("tokens, "))[0]
        assert await run(it) is None
        [(message, titles)] = user.asked
        assert message.startswith("This run will cost ~1")
        assert (message.endswith(" s."), titles) == (True, ["Run", "Cancel"])
        # Three times the trials cost more than twice as much.
        await run(it, trials=3)
        assert "~33 k tokens" in user.asked[1][0]


@pytest.mark.slow
async def test_a_cheap_run_is_not_asked_about_and_a_mute_editor_is_told(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"run": {"askAboveTokens": 0, "executor": "mock"}}) as it:
        it.open(task_file(suite))
        await run(it, executor="replay")
        assert not any("tokens, " in lens for lens in (await it.lenses_with("✓"))[:1])
        assert (await run(it))["status"] == "failed"
    async with editor(tmp_path, settings={"run": {"askAboveTokens": 1000}}) as it:
        it.open(task_file(suite))
        await it.lenses_with("tokens, ")
        assert await run(it) is None
        await until(lambda: any("raise waza.run.askAboveTokens" in one for one in it.messages))


@pytest.mark.parametrize(
    ("tokens", "seconds", "text"),
    [
        (1_100_000, 840, "~1.1 M tokens, 14 min"),
        (2_000_000, 7_200, "~2 M tokens, 2.0 h"),
        (12_345, 40.4, "~12 k tokens, 40 s"),
        (999, 0.2, "~999 tokens, 1 s"),
        (1_500, 5_399, "~1.5 k tokens, 90 min"),
    ],
)
def test_it_is_told_in_rough_words(tokens: int, seconds: float, text: str) -> None:
    assert Forecast(tokens, seconds).text == text


def test_costs_are_summed_up_for_the_trials() -> None:
    costs = [TaskCost(100, 2_000, 2), TaskCost(50, 1_000)]
    assert Forecast.of(costs) == Forecast(150, 3.0)
    assert Forecast.of(costs, 4) == Forecast(400, 8.0)
    assert Forecast.of([]) is None
