"""What the page shows of stored runs, traces, comparisons and audits."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from tests.studio.conftest import ORIGIN
from waza_engine.runs.store.store import RunStore
from waza_lsp.cli import main
from waza_lsp.studio.app import studio_app
from waza_lsp.studio.demo import EXAMPLE, opened
from waza_lsp.studio.session import StudioSession

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def demo() -> Iterator[TestClient]:
    """A browser with the demo, which has run twice."""
    with opened(None, is_demo=True) as (folder, start_file), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for _ in range(2):
            ran = CliRunner().invoke(main, ["run", start_file])
            assert ran.exit_code == 0, ran.output
        session = StudioSession(folder, 8123, is_demo=True, start_file=start_file)
        with TestClient(studio_app(session), base_url=ORIGIN) as browser:
            browser.get(session.new_address())
            browser.headers["origin"] = ORIGIN
            yield browser
    assert not folder.exists()


def _runs(demo: TestClient) -> list[str]:
    return [it["id"] for it in demo.get("/api/runs").json()["runs"]]


def test_runs_are_listed_newest_first(demo: TestClient) -> None:
    found = demo.get("/api/runs?path=eval.yaml").json()["runs"]
    assert found == demo.get("/api/runs").json()["runs"]
    newest, oldest = found
    assert newest["started_at"] > oldest["started_at"]
    assert {**newest, "id": "", "started_at": 0, "finished_at": 0, "score": 0} == {
        "id": "",
        "suite": EXAMPLE,
        "path": "eval.yaml",
        "status": "passed",
        "score": 0,
        "started_at": 0,
        "finished_at": 0,
        "executor": "replay",
        "model": "claude-sonnet-4.6",
        "tasks": 3,
        "trials": 2,
        "variant": "",
    }


def test_the_history_has_a_point_for_each_run(demo: TestClient) -> None:
    found = demo.get("/api/history?path=eval.yaml").json()
    newest, oldest = _runs(demo)
    assert [it["run"] for it in found["points"]] == [oldest, newest]
    cells = {it["id"]: it["cells"] for it in found["tasks"]}
    assert cells["writes-the-notes"][0] == {"run": oldest, "passed": 1, "trials": 2}
    assert cells["bumps-the-version"][1] == {"run": newest, "passed": 2, "trials": 2}


def test_a_failed_check_of_the_demo_points_to_its_file_and_line(demo: TestClient) -> None:
    run = _runs(demo)[0]
    index = demo.get("/api/trace", params={"run": run}).json()
    assert index["run"]["id"] == run
    failed = [at for at, it in enumerate(index["trials"]) if it["status"] == "failed"]
    assert len(index["trials"]) == 6
    trial = demo.get("/api/trace/trial", params={"run": run, "n": failed[0]}).json()
    checks = [check for it in trial["graders"] if it["status"] == "failed" for check in it["checks"]]
    assert {it["source"]["file"] for it in checks} == {"eval.yaml"}
    assert checks[1]["target"] == {"kind": "file", "path": "RELEASE.md", "line": 3}
    recording = demo.get("/api/trace/recording", params={"run": run, "n": failed[0]}).json()
    assert recording["prompt"] == trial["prompt"]


def test_runs_are_compared(demo: TestClient) -> None:
    newest, oldest = _runs(demo)
    found = demo.get("/api/compare", params={"a": oldest, "b": newest}).json()
    assert found["aggregate_score_delta"] == 0


def test_an_experiment_is_shown_with_all_its_arms(demo: TestClient) -> None:
    folder = Path(demo.get("/api/session").json()["folder"])
    ran = CliRunner().invoke(main, ["run", "skill.experiment.yaml"])
    assert ran.exit_code == 0, ran.output
    runs = demo.get("/api/runs").json()["runs"]
    arms = [it for it in runs if it["variant"]]
    assert {it["variant"] for it in arms} == {"without-skill", "with-skill"}
    with RunStore(folder / ".waza-lsp") as store:
        [experiment] = {it.frame.arm.run_id for it in store.runs() if it.frame.arm is not None}
    index = demo.get("/api/trace", params={"run": experiment}).json()
    assert {it["origin"] for it in index["trials"]} == {"without-skill", "with-skill"}
    assert len(index["trials"]) == 12
    assert demo.get("/api/trace/trial", params={"run": experiment, "n": 11}).json()["steps"]
    assert demo.get("/api/compare", params={"a": experiment, "b": arms[0]["id"]}).status_code == 422
    assert demo.get("/api/compare", params={"a": arms[1]["id"], "b": arms[0]["id"]}).status_code == 200
    with RunStore(folder / ".waza-lsp") as store:
        store.delete_runs([it["id"] for it in arms])


def test_an_eval_is_audited_in_a_process_of_its_own(demo: TestClient) -> None:
    [found] = demo.get("/api/audit?path=eval.yaml").json()["evals"]
    assert (found["path"], len(found["tasks"])) == ("eval.yaml", 3)
    refused = demo.get("/api/audit?path=fixtures/app/package.json")
    assert refused.status_code == 422
    assert "package.json" in refused.json()["error"]


@pytest.mark.parametrize(
    "address",
    [
        "/api/trace?run=none",
        "/api/trace?run=../../runs",
        "/api/trace?run=%00",
        "/api/trace/trial?run=none&n=0",
        "/api/compare?a=none&b=none",
        "/api/compare?a=last&b=last",
        "/api/history?path=none.yaml",
        "/api/none",
    ],
)
def test_what_does_not_exist_is_not_found(demo: TestClient, address: str) -> None:
    assert demo.get(address).status_code == 404


def test_parameters_are_checked(demo: TestClient) -> None:
    run = _runs(demo)[0]
    for address in (
        "/api/trace",
        "/api/trace?run=",
        f"/api/trace?run={run}&run={run}",
        f"/api/compare?a={run}",
        "/api/file",
    ):
        assert demo.get(address).status_code == 400, address
    for number in ("-1", "a", "1.5", "٣", "9" * 20):
        assert demo.get("/api/trace/trial", params={"run": run, "n": number}).status_code == 400
    assert demo.get("/api/trace/trial", params={"run": run, "n": 6}).status_code == 404
    assert demo.delete("/api/file").status_code == 405


def test_runs_of_evals_outside_of_the_folder_are_not_shown(demo: TestClient) -> None:
    """The store of a repository also has the runs of other folders, and a store of others may name any file."""
    folder = Path(demo.get("/api/session").json()["folder"])
    store = folder / ".waza-lsp" / "runs.sqlite3"
    before = store.read_bytes()
    newest, oldest = _runs(demo)
    try:
        for path in ("/etc/eval.yaml", f"{folder}-2/eval.yaml", f"{folder}/../eval.yaml", "eval.yaml", ""):
            with sqlite3.connect(store) as sql:
                sql.execute("UPDATE runs SET eval_path = ? WHERE run_id = ?", (path, oldest))
            sql.close()
            assert _runs(demo) == [newest], path
            assert demo.get("/api/trace", params={"run": oldest}).status_code == 404
        store.write_bytes(b"no database")
        broken = demo.get("/api/runs")
        assert broken.status_code == 500
        assert broken.json()["error"].startswith("The run store cannot be read")
    finally:
        store.write_bytes(before)
