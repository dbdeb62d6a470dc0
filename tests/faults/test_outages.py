"""Outages of judges, endpoints and the machine: never the agent's failure, and nothing is lost, doubled or misjudged."""

import errno
import json
import random
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.faults.endpoint import CUT, TALK, Answer, Endpoint, endpoint, refusal, submit, vote
from tests.slow import examples, first_quick
from waza_engine.executors.base import ExecutorError, Progress, TrialRequest
from waza_engine.executors.event_log import EventLog
from waza_engine.executors.mock import MockExecutor
from waza_engine.judges import openai, patience
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.trial import retries
from waza_lsp.cli import main

WAZA = """\
name: outage
skill: s
version: "1.0"
config: {executor: mock, model: m, trials_per_task: 2, timeout_seconds: 30}
metrics: [{name: task_completion, weight: 1, threshold: 0}]
graders:
  - {type: prompt, name: judged, config: {prompt: Is it right?, model: m}}
tasks: ["tasks/*.yaml"]
"""
TASK = "id: {0}\nname: {0}\ninputs: {{prompt: say {0}}}\n"
VALLY = """\
name: outage
type: capability
defaults: {executor: mock, runs: 2}
stimuli:
  - {name: one, prompt: say one, graders: [{type: prompt, config: {prompt: Right?}}]}
  - {name: two, prompt: say two, graders: [{type: prompt, config: {prompt: Right?}}]}
scoring: {threshold: 0.5}
"""


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "_FIRST_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(patience, "VALLY_BACKOFF", patience.Backoff(3, 0.0, 0.0, 600.0))


@pytest.fixture(params=["waza", "vally"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> Path:
    if dialect == "waza":
        (tmp_path / "tasks").mkdir()
        for it in ("one", "two"):
            (tmp_path / "tasks" / f"{it}.yaml").write_text(TASK.format(it))
    (tmp_path / "eval.yaml").write_text(WAZA if dialect == "waza" else VALLY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, dialect: str) -> Iterator[Endpoint]:
    with endpoint(lambda _: good(dialect)) as here:
        monkeypatch.setenv("OPENAI_BASE_URL", here.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        yield here


def good(dialect: str) -> Answer:
    return vote() if dialect == "waza" else submit()


def bad(dialect: str) -> Answer:
    return vote("fail") if dialect == "waza" else submit(1)


def waza_lsp(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def statuses() -> list[str]:
    with closing(sqlite3.connect(".waza-lsp/runs.sqlite3")) as sql:
        rows = sql.execute("SELECT status FROM trials ORDER BY run_id, task_index, trial")
        return [it for (it,) in rows]


OUTAGES = {
    "401": refusal(401),
    "403": refusal(403),
    "404": refusal(404),
    "429": refusal(429, {"Retry-After": "0"}),
    "500": refusal(500),
    "503": refusal(503),
    "reset": (0, b"", {}),
    "malformed": (200, b"<html>", {}),
    "no message": (200, {"choices": []}, {}),
    "empty": (200, b"", {}),
    "list": (200, [], {}),
    "talk": TALK,
    "408": refusal(408),
    "502": refusal(502),
    "529": refusal(529),
    "429 with a date": refusal(429, {"Retry-After": "Sun, 01 Nov 2020 08:00:00 GMT"}),
    "429 with nonsense": refusal(429, {"Retry-After": "soon"}),
    "no credit": (429, {"error": {"message": "pay", "code": "insufficient_quota"}}, {}),
    "html error": (503, b"<html>down</html>", {}),
    "redirect": (302, b"", {"Location": "http://127.0.0.1:9/"}),
    "cut": (*vote()[:2], {CUT: ""}),
    "null": (200, None, {}),
    "error in the body": (200, {"error": {"message": "overloaded", "code": 529}}, {}),
    "null message": (200, {"choices": [{"message": None}]}, {}),
    "refusal": (200, {"choices": [{"message": {"content": None, "refusal": "I cannot judge this."}}]}, {}),
    "content filter": (
        200,
        {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]},
        {},
    ),
    "cut off": (200, {"choices": [{"message": {"content": "so"}, "finish_reason": "length"}]}, {}),
    "other tool": (
        200,
        {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "x"}}]}}]},
        {},
    ),
    "not utf-8": (200, b"\xff\xfe{", {}),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("how", OUTAGES)
def test_an_outage_is_no_failure(judge: Endpoint, dialect: str, how: str) -> None:
    judge.answer = lambda _: OUTAGES[how]
    result = waza_lsp("run", "eval.yaml", "--junit", "j.xml", "--output", "r.json", "--github", "g.md")
    assert result.exit_code == 3, result.output
    assert "could not be judged" in result.stdout
    assert "All prompts passed" not in result.stdout.replace("(All prompts passed)", "")
    assert statuses() == ["infrastructure"] * 4
    root = ET.parse("j.xml").getroot()  # noqa: S314  # our own report
    assert root.get("failures") == "0"
    assert root.get("errors") == ("2" if dialect == "waza" else "4")
    assert not root.findall(".//failure")
    data = json.loads(Path("r.json").read_text())
    assert [run["status"] for task in data["tasks"] for run in task["runs"]] == ["error"] * 4
    assert all(run["infrastructure"] for task in data["tasks"] for run in task["runs"])
    assert "could not be judged" in Path("g.md").read_text()
    assert waza_lsp("report", "last").stdout.count("could not be judged") == 1


@pytest.mark.usefixtures("folder")
def test_an_outage_in_the_middle_costs_only_its_trials(judge: Endpoint, dialect: str) -> None:
    judge.answer = lambda number: good(dialect) if not number else refusal(401)
    result = waza_lsp("run", "eval.yaml")
    assert result.exit_code == 3, result.output
    assert statuses() == ["passed", "infrastructure", "infrastructure", "infrastructure"]
    judge.answer = lambda _: good(dialect)
    before = len(judge.requests)
    resumed = waza_lsp("run", "eval.yaml", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert statuses() == ["passed"] * 4
    assert len({json.dumps(it["messages"][0]) for it in judge.requests[before:]}) >= 1
    assert "has finished" in waza_lsp("run", "eval.yaml", "--resume").output


@pytest.mark.usefixtures("folder")
def test_a_failure_decides_before_an_outage(judge: Endpoint, dialect: str) -> None:
    judge.answer = lambda number: bad(dialect) if not number else refusal(401)
    assert waza_lsp("run", "eval.yaml").exit_code == 1
    assert statuses() == ["failed", "infrastructure", "infrastructure", "infrastructure"]
    judge.answer = lambda _: good(dialect)
    assert waza_lsp("run", "eval.yaml", "--resume").exit_code == (1 if dialect == "waza" else 0)
    assert statuses() == ["failed", "passed", "passed", "passed"]


@pytest.mark.usefixtures("folder")
def test_an_outage_changes_no_rate_and_is_no_regression(judge: Endpoint) -> None:
    assert waza_lsp("run", "eval.yaml").exit_code == 0
    judge.answer = lambda _: refusal(401)
    assert waza_lsp("run", "eval.yaml").exit_code == 3
    history = waza_lsp("runs", "history", "eval.yaml").stdout
    assert "100%" in history, history
    assert "??" in history
    assert "flaky" not in history
    names = [it.split()[0] for it in waza_lsp("runs", "list").stdout.splitlines() if it[:2] == "20"]
    data = json.loads(waza_lsp("compare", names[1], names[0], "--format", "json").stdout)
    assert data["aggregate_score_delta"] == data["success_rate_delta"] == 0
    assert [it["score_delta"] for it in data["task_deltas"]] == [0, 0]


@pytest.mark.usefixtures("folder")
def test_results_read_back_are_still_undecided(judge: Endpoint) -> None:
    judge.answer = lambda _: refusal(401)
    for name in ("r.json", "r.jsonl"):
        assert waza_lsp("run", "eval.yaml", "--output", name).exit_code == 3
        result = waza_lsp("merge", name)
        assert "could not be judged" in waza_lsp("report", name).stdout, name
        assert result.exit_code in {2, 3}


@pytest.mark.parametrize("dialect", ["waza"])
@pytest.mark.parametrize("code", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENOENT])
def test_a_program_that_lacks_resources_is_no_failure(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    grader = "  - {type: program, name: own, config: {command: sh, args: [-c, exit 0]}}\n"
    entry = "  - {type: prompt, name: judged, config: {prompt: Is it right?, model: m}}\n"
    (folder / "eval.yaml").write_text(WAZA.replace(entry, grader))

    class Refused(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], **options: Any) -> None:
            if command[0] == "sh":
                raise OSError(code, "no")
            super().__init__(command, **options)

        def __del__(self) -> None:
            """Do nothing: it may never have been made."""

    with monkeypatch.context() as patched:
        patched.setattr("subprocess.Popen", Refused)
        status = waza_lsp("run", "eval.yaml").exit_code
    is_shortage = code != errno.ENOENT
    assert (status, set(statuses())) == ((3, {"infrastructure"}) if is_shortage else (1, {"failed"}))


@pytest.mark.parametrize(
    ("data", "is_outage"),
    [
        ({"errorType": "rate_limit", "message": "busy"}, True),
        ({"errorType": "query", "statusCode": 503, "message": "down"}, True),
        ({"errorType": "query", "statusCode": 400, "message": "bad request"}, False),
        ({"errorType": "context_limit", "message": "too long"}, False),
    ],
)
def test_an_agent_says_that_its_endpoint_is_down(data: dict[str, object], is_outage: bool) -> None:
    log = EventLog()
    log.add("session.error", data)
    trajectory = log.so_far(Task("t", "t", "p"), "m")
    assert (trajectory.infrastructure, bool(trajectory.error)) == (is_outage, True)
    again = Trajectory.model_validate_json(trajectory.model_dump_json())
    assert again.infrastructure is is_outage


@pytest.mark.usefixtures("folder")
def test_grade_judges_again_in_place(judge: Endpoint, dialect: str) -> None:
    judge.answer = lambda number: good(dialect) if not number else refusal(503)
    assert waza_lsp("run", "eval.yaml").exit_code == 3
    before = kept()
    assert waza_lsp("grade", "--run", "last").exit_code == 3
    assert statuses() == ["passed", "infrastructure", "infrastructure", "infrastructure"]
    judge.requests.clear()
    # An outage in the middle of judging: what is decided is stored.
    judge.answer = lambda number: good(dialect) if number < 3 else refusal(401)
    half = waza_lsp("grade", "--run", "last", "--store", ".waza-lsp")
    assert half.exit_code == 3
    assert "passed" in statuses()[1:]
    assert "infrastructure" in statuses()
    judge.answer = lambda _: good(dialect)
    done = waza_lsp("grade", "--run", "last", "--store", ".waza-lsp")
    assert done.exit_code == 0, done.output
    assert "are in the run store now" in done.stderr
    assert statuses() == ["passed"] * 4
    assert kept() == before
    assert "could not be judged" not in waza_lsp("report", "last").stdout
    assert "passed" in waza_lsp("runs", "list").stdout
    judge.answer = lambda _: bad(dialect)
    # Decided trials stay, whatever is graded later.
    assert waza_lsp("grade", "--run", "last").exit_code == 1
    assert statuses() == ["passed"] * 4


@pytest.mark.usefixtures("folder")
def test_a_missing_judge_replaces_nothing(
    judge: Endpoint, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.answer = lambda _: refusal(503)
    assert waza_lsp("run", "eval.yaml").exit_code == 3
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert waza_lsp("grade", "--run", "last").exit_code != 0, dialect
    assert statuses() == ["infrastructure"] * 4


def kept() -> list[tuple[object, ...]]:
    """Return what the agent did in the stored trials."""
    with closing(sqlite3.connect(".waza-lsp/runs.sqlite3")) as sql:
        sql_text = (
            "SELECT run_id, task_index, trial, started_at, attempts, trajectory FROM trials ORDER BY 2, 3"
        )
        return sql.execute(sql_text).fetchall()


GRADER = "graders: [{{type: prompt, name: own, config: {{prompt: Is {0} right?, model: m}}}}]\n"


@pytest.mark.parametrize("seed", first_quick(range(examples(16)), quick=2))
def test_outages_at_random_instants_misjudge_nothing(
    folder: Path, judge: Endpoint, dialect: str, seed: int
) -> None:
    """The judge passes everything of task one and fails everything of task two, if it is there at all."""
    chance = random.Random(seed)  # noqa: S311  # a test
    if dialect == "waza":
        eval_level = "  - {type: prompt, name: judged, config: {prompt: Is it right?, model: m}}\n"
        (folder / "eval.yaml").write_text(WAZA.replace("graders:\n" + eval_level, "").replace("2,", "4,", 1))
        for it in ("one", "two"):
            (folder / "tasks" / f"{it}.yaml").write_text(TASK.format(it) + GRADER.format(it))
    else:
        (folder / "eval.yaml").write_text(VALLY.replace("runs: 2", "runs: 4"))

    def answer(number: int) -> Answer:
        if chance.random() < 0.5:
            return OUTAGES[chance.choice(sorted(OUTAGES))]
        return good(dialect) if " one" in json.dumps(judge.requests[number]["messages"]) else bad(dialect)

    judge.answer = answer
    truth = ["passed"] * 4 + ["failed"] * 4
    assert waza_lsp("run", "eval.yaml", "--workers", "2").exit_code in {1, 3}
    agents = kept()
    for _ in range(40):
        found = statuses()
        assert [
            it if it == "infrastructure" else right for it, right in zip(found, truth, strict=True)
        ] == found
        if found == truth:
            break
        # The mean of vally's trials may reach its threshold.
        assert waza_lsp("grade", "--run", "last").exit_code in ({1, 3} if dialect == "waza" else {0, 1, 3})
    assert statuses() == truth
    assert kept() == agents


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("dialect", ["vally"])
@pytest.mark.parametrize("how", ["401", "503", "talk"])
def test_runs_that_cannot_be_compared_are_no_success(judge: Endpoint, how: str) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        assert waza_lsp("run", "eval.yaml", "--output", name).exit_code == 0
    judge.answer = lambda _: OUTAGES[how]
    compare = ("compare", "a.jsonl", "b.jsonl", "--pairwise")
    assert waza_lsp(*compare, "--fail-on-regression").exit_code == 3
    assert waza_lsp(*compare).exit_code == 0


@pytest.mark.usefixtures("folder")
def test_a_retry_asks_the_judge_again_and_the_agent_not(
    judge: Endpoint, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "_FIRST_PAUSE_SECONDS", 0.0)
    performed: list[int] = []
    answer = MockExecutor.run

    async def counted(self: MockExecutor, request: TrialRequest, progress: Progress) -> Trajectory:
        performed.append(request.trial)
        return await answer(self, request, progress)

    monkeypatch.setattr(MockExecutor, "run", counted)
    judge.answer = lambda number: refusal(401) if number in {0, 1, 4} else good(dialect)
    result = waza_lsp("run", "eval.yaml", "--retry-infrastructure", "2", "--output", "r.json")
    assert result.exit_code == 0, result.output
    assert statuses() == ["passed"] * 4
    assert performed == [1, 2, 1, 2]
    assert "infrastructure_runs" not in Path("r.json").read_text()
    # The third outage of a trial is one too many.
    shutil.rmtree(".waza-lsp")
    first = len(judge.requests)
    judge.answer = lambda number: refusal(401) if number < first + 3 else good(dialect)
    result = waza_lsp(
        *("run", "eval.yaml", "--retry-infrastructure", "2", "--events", "jsonl", "--output", "r.json")
    )
    assert result.exit_code == 3, result.output
    assert statuses() == ["infrastructure", "passed", "passed", "passed"]
    assert result.stdout.count("infrastructure failed, try ") == 2
    assert "try 2 of 2 in 0 s" in result.stdout
    data = json.loads(Path("r.json").read_text())
    assert data["summary"]["infrastructure_runs"] == 1
    assert data["tasks"][0]["stats"]["infrastructure_runs"] == 1
    report = waza_lsp("report", "last", "--html", "r.html", "--format", "text").stdout
    assert "1/1 trials, 1 trial not judged (infrastructure)" in report
    assert "1 of 1 trials passed, 1 not judged (infrastructure)" in Path("r.html").read_text()
    assert (
        "| 1/1, 1 trial not judged (infrastructure) |"
        in waza_lsp("report", "last", "--format", "github").stdout
    )


@pytest.mark.usefixtures("folder")
def test_a_failed_run_says_which_trials_were_not_judged(judge: Endpoint, dialect: str) -> None:
    judge.answer = lambda number: bad(dialect) if not number else refusal(401)
    result = waza_lsp("run", "eval.yaml")
    assert "0/1 trials, 1 trial not judged (infrastructure)" in result.stdout
    assert "3 trials not judged (infrastructure)" in result.stdout.splitlines()[-1]


@pytest.mark.parametrize("dialect", ["waza"])
def test_a_retry_starts_an_agent_that_was_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "_FIRST_PAUSE_SECONDS", 0.0)
    grader = "  - {type: text, name: own, config: {contains: [Mock]}}\n"
    entry = "  - {type: prompt, name: judged, config: {prompt: Is it right?, model: m}}\n"
    (folder / "eval.yaml").write_text(WAZA.replace(entry, grader))
    answer, tries = MockExecutor.run, []

    async def often_gone(self: MockExecutor, request: TrialRequest, progress: Progress) -> Trajectory:
        tries.append(request.trial)
        if len(tries) in {1, 2, 4}:
            raise ExecutorError("the agent is gone", infrastructure=len(tries) != 4)
        return await answer(self, request, progress)

    monkeypatch.setattr(MockExecutor, "run", often_gone)
    result = waza_lsp("run", "eval.yaml", "--retry-infrastructure", "5", "--output", "r.json")
    # An error that is the agent's is not repeated.
    assert statuses() == ["passed", "error", "passed", "passed"], result.output
    runs = json.loads(Path("r.json").read_text())["tasks"][0]["runs"]
    assert [it["attempts"] for it in runs] == [1, 1]
