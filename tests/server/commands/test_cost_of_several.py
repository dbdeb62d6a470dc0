"""The question before several runs that are cheap one by one."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engine.coverage.suites import write_waza
from waza_lsp.runnables.forecast import Forecast
from waza_lsp.server.commands.cost_guard import may_spend_together
from waza_lsp.server.runs.process import RunRequest


@pytest.mark.parametrize(
    ("most", "executor", "asked"),
    [
        (1_000, "", "These 2 runs will cost ~1.2 k tokens, 20 s."),
        (1_000, "mock", ""),
        (1_200, "", ""),
        (0, "", ""),
        (599, "", ""),  # Each is asked about when it begins.
    ],
)
async def test_the_sum_is_asked_about(tmp_path: Path, most: int, executor: str, asked: str) -> None:
    said: list[str] = []

    async def choose(message: str, *_: Any) -> str:
        said.append(message)
        return "Cancel"

    session: Any = SimpleNamespace(
        configuration=SimpleNamespace(settings=SimpleNamespace(run_ask_above_tokens=most)),
        ledger=SimpleNamespace(forecast=lambda _: Forecast(600, 10.0)),
        client=SimpleNamespace(choose=choose),
    )
    evals = [write_waza(tmp_path, name) for name in ("a", "b")]
    for it in evals:
        it.write_text(it.read_text().replace("executor: mock", "executor: copilot-sdk"))
    requests = [RunRequest(it, executor=executor) for it in evals]
    assert await may_spend_together(session, requests) is not bool(asked)
    assert said == ([asked] if asked else [])
