"""A view of runs: `waza/runs`, and the commands that report, compare, repeat and delete stored runs."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import EXAMPLES
from tests.server.results.test_lenses import run_outside
from tests.server.results_harness import Editor, editor, plain
from waza_engine.runs.run_header import RunFrame, TaskFrame, claim_for_process
from waza_engine.runs.store.store import RunStore

EVAL = "name: many\nskill: s\nconfig: {trials_per_task: 1, timeout_seconds: 9, executor: mock, model: m}\ntasks: []\n"


async def runs(it: Editor, **params: Any) -> dict[str, Any]:
    found = await it.client.protocol.send_request_async("waza/runs", params)  # type: ignore[no-untyped-call]  # the library gives it no types
    answer: dict[str, Any] = plain(found)
    return answer


def text_of(page: dict[str, str]) -> str:
    return Path(page["path"]).read_text(encoding="utf-8")


def filled(root: Path, evals: dict[str, int]) -> RunStore:
    """Return the store of a workspace with evals and their runs."""
    (root / ".git").mkdir()
    store = RunStore(root / ".waza-lsp")
    for name, count in evals.items():
        path = root / name / "eval.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(EVAL, encoding="utf-8")
        for number in range(count):
            frame = RunFrame(name, executor="mock", model="m", tasks=(TaskFrame("a", "A"),))
            store.start_run(f"{name}-{number}", path, frame, started_at=1000.0 + number)
            store.finish_run(f"{name}-{number}", "passed" if number % 2 else "failed", number / 10)
    return store


async def test_the_runs_of_each_eval_come_in_pages_newest_first(tmp_path: Path) -> None:
    filled(tmp_path, {"one": 5, "two": 1}).close()
    uri = (tmp_path / "one" / "eval.yaml").as_uri()
    async with editor(tmp_path) as it:
        found = await runs(it)
        assert [(one["name"], one["count"], one["last"]["runId"]) for one in found["evals"]] == [
            ("one", 5, "one-4"),
            ("two", 1, "two-0"),
        ]
        first = await runs(it, uri=uri, limit=2)
        second = await runs(it, uri=uri, limit=3, before=first["runs"][-1]["runId"])
        unknown = await runs(it, uri=(tmp_path / "else.yaml").as_uri())
    assert [[one["runId"] for one in page["runs"]] for page in (first, second)] == [
        ["one-4", "one-3"],
        ["one-2", "one-1", "one-0"],
    ]
    assert (first["more"], second["more"], unknown["runs"]) == (True, False, [])
    assert {key: first["runs"][0][key] for key in ("status", "score", "executor", "tasks", "variant")} == {
        "status": "failed",
        "score": 0.4,
        "executor": "mock",
        "tasks": 1,
        "variant": "",
    }


async def test_stores_beside_evals_are_found_and_a_damaged_one_hides_no_other(tmp_path: Path) -> None:
    for name in ("deep/below/good", "bad"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "eval.yaml").write_text(EVAL, encoding="utf-8")
    with RunStore(tmp_path / "deep/below/good/.waza-lsp") as store:
        store.start_run("r", tmp_path / "deep/below/good/eval.yaml", RunFrame("good"), started_at=1.0)
    (tmp_path / "bad/.waza-lsp").mkdir()
    (tmp_path / "bad/.waza-lsp/runs.sqlite3").write_bytes(b"no database" * 100)
    async with editor(tmp_path) as it:
        found = await runs(it)
    assert [(one["name"], one["last"]["status"]) for one in found["evals"]] == [("good", "broken")]
    assert "bad" in found["problems"][0]


async def test_runs_are_deleted_but_not_while_they_are_running(tmp_path: Path) -> None:
    store = filled(tmp_path, {"one": 3})
    path = tmp_path / "one" / "eval.yaml"
    store.start_run("base", path, RunFrame("one"), started_at=2.0, baseline_of="one-1")
    store.start_run("alive", path, claim_for_process(RunFrame("one")), started_at=2.0)
    report = tmp_path / ".waza-lsp/reports/one-1.html"
    report.parent.mkdir()
    report.write_text("old", encoding="utf-8")
    async with editor(tmp_path) as it:
        answer = plain(
            await it.execute("waza.deleteRuns", runIds=["one-1", "alive", "gone"], uri=path.as_uri())
        )
        assert answer == {"deleted": ["one-1"]}
        assert "Run alive is still running" in it.messages[-1]
        left = await runs(it, uri=path.as_uri())
    assert [one["runId"] for one in left["runs"]] == ["alive", "one-2", "one-0"]
    assert store.find_runs("base") == []
    assert not report.exists()
    store.close()


async def test_nothing_is_deleted_without_trust(tmp_path: Path) -> None:
    store = filled(tmp_path, {"one": 1})
    async with editor(tmp_path, trusted=False) as it:
        uri = (tmp_path / "one" / "eval.yaml").as_uri()
        assert await it.execute("waza.deleteRuns", runIds=["one-0"], uri=uri) is None
        assert len((await runs(it))["evals"]) == 1
    assert len(store.runs()) == 1
    store.close()


@pytest.mark.slow
async def test_runs_are_repeated_as_they_were_and_compared(tmp_path: Path, suite: Path) -> None:
    options = ("--task", "explain-retry", "--executor", "mock", "--model", "quiet", "--trials", "2")
    run_outside(tmp_path, suite / "eval.yaml", *options)
    uri = (suite / "eval.yaml").as_uri()
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        [first] = (await runs(it))["evals"]
        await it.execute("waza.rerun", runId=first["last"]["runId"], uri=uri)
        found = (await runs(it, uri=uri))["runs"]
        assert [(one["executor"], one["model"], one["trials"], one["tasks"]) for one in found] == [
            ("mock", "quiet", 2, 1)
        ] * 2
        page = plain(await it.execute("waza.compareRuns", runIds=[one["runId"] for one in found], uri=uri))
        assert Path(page["path"]).name.startswith(f"compare-{found[0]['runId']}")
        newest = plain(await it.execute("waza.showReport", uri=uri))
        assert found[0]["runId"] in newest["path"]
        assert await it.execute("waza.compareRuns", runIds=[found[0]["runId"], "gone"], uri=uri) is None
        assert "Run gone is no longer in the run store" in it.messages[-1]
    assert found[1]["runId"] in text_of(page)


@pytest.mark.slow
async def test_a_variant_of_an_experiment_is_repeated_alone(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "release-notes", tmp_path / "release-notes")
    file = folder / "skill.experiment.yaml"
    async with editor(tmp_path) as it:
        it.open(file)
        await it.execute("waza.runEval", uri=it.uri)
        arms = (await runs(it, uri=it.uri))["runs"]
        assert len({one["variant"] for one in arms}) == 2
        await it.execute("waza.rerun", runId=arms[0]["runId"], uri=it.uri)
        again = (await runs(it, uri=it.uri))["runs"]
    assert [one["variant"] for one in again[: len(again) - len(arms)]] == [arms[0]["variant"]]
