"""The page: data that cannot become markup or script, and one trial in memory."""

import base64
import gc
import hashlib
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.reports.trace.pages import SCRIPT, STYLE, Page, run_of, texts, viewer
from waza_engine.model.results.evidence import FailedCheck, Place
from waza_engine.model.results.records import CheckpointOutcome, GraderOutcome, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace.document import TrialDocuments
from waza_engine.reports.trace.page import places_of, trace_page

pytestmark = pytest.mark.usefixtures("viewer")
__all__ = ["viewer"]

HOSTILE = (
    "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\u202e\x1b[31m\x00\ud800&amp;\u2028"
)


def trial(number: int = 1, status: Any = "passed", task: str = "task", **more: Any) -> TrialRecord:
    score = float(status == "passed")
    trajectory = Trajectory(task=task, prompt="Do it", output="done", **more)
    return TrialRecord(task, 0, number, status, score, score, trajectory)


def page_of(*trials: TrialRecord, **frame: Any) -> str:
    return "".join(trace_page(list(places_of(run_of(*trials, **frame)))))


def test_what_agents_and_files_say_is_data() -> None:
    outcome = GraderOutcome(
        HOSTILE,
        HOSTILE,
        "failed",
        0.0,
        1.0,
        HOSTILE,
        parts=(FailedCheck((HOSTILE,), HOSTILE, place=Place("file", 1, HOSTILE)),),
    )
    call = {"tool_name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "tool_call_id": HOSTILE}
    one = trial(
        task=HOSTILE,
        transcript=[{"type": "tool.execution_start", **call}, {"type": HOSTILE, "content": HOSTILE}],
        files={HOSTILE: HOSTILE},
        error=HOSTILE,
    )
    one = replace(one, graders=(outcome,), error=HOSTILE, workspace=HOSTILE)
    text = page_of(one, suite_name=HOSTILE, model=HOSTILE)
    found = Page(text)
    elements = [tag for tag, _ in found.tags]
    assert elements.count("script") == 5
    assert not {"img", "iframe", "a", "link"} & {*elements}
    assert not any(it in text for it in "\u202e\x1b\x00\ud800\u2028")
    assert "alert(1)" not in "".join(it for name, it in found.scripts.items() if not name)
    for name in ("index", "0", "recording-0"):
        assert HOSTILE in set(texts(found.data(name)))
    text.encode()


def test_only_the_viewer_s_own_script_and_style_run() -> None:
    found = Page(page_of(trial()))
    [policy] = [it["content"] for tag, it in found.tags if tag == "meta" and "http-equiv" in it]
    hashes = [
        base64.b64encode(hashlib.sha256(it.encode()).digest()).decode() for it in (found.scripts[""], STYLE)
    ]
    assert found.scripts[""] == SCRIPT
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    # Data blocks have a type that no browser executes.
    types = {it.get("id"): it.get("type") for tag, it in found.tags if tag == "script"}
    assert types[None] is None
    assert {it for name, it in types.items() if name} == {
        "application/json",
        "application/gzip+base64",
        "text/plain",
    }


def test_the_first_trial_to_look_at_comes_before_the_script() -> None:
    found = Page(page_of(trial(), trial(2, "failed"), trial(3)))
    assert [*found.scripts] == [
        "waza-trace-index",
        "waza-trace-1",
        "",
        "waza-trace-0",
        "waza-trace-2",
        *(f"waza-trace-recording-{it}" for it in range(3)),
        "waza-trace-notices",
    ]
    assert [it["status"] for it in found.data("index")["trials"]] == ["passed", "failed", "passed"]


def test_the_first_screen_has_what_a_trial_consumed() -> None:
    judged = GraderOutcome("good", "prompt", "passed", 1.0, 1.0, details={"usage": {"cost": 0.002}})
    session = {"tool_call_count": 2, "usage": {"input_tokens": 40, "premium_requests": 1.5}}
    one = replace(trial(session=session), graders=(judged,))
    [found, free] = Page(page_of(one, trial(2))).data("index")["trials"]
    assert (found["tokens_in"], found["premium_requests"], found["cost"]) == (40, 1.5, 0.002)
    assert free.keys().isdisjoint(["premium_requests", "cost"])


def test_without_trials_there_is_a_page() -> None:
    assert Page(page_of()).data("index")["trials"] == []


def test_numbers_and_depths_that_json_lacks_are_no_error() -> None:
    deep: Any = "x"
    for _ in range(3000):
        deep = [deep]
    arguments = {"n": float("nan"), "deep": deep}
    found = Page(
        page_of(
            trial(transcript=[{"type": "tool.execution_start", "tool_name": "x", "arguments": arguments}])
        )
    )
    assert found.data("0")["steps"][1]["call"]["arguments"]["n"] == "nan"


class Lazy(Sequence[TrialRecord]):
    """Trials that exist only while someone has them, as stored ones do."""

    def __init__(self, count: int) -> None:
        self.length, self.most = count, 0
        self.kept: list[weakref.ref[Any]] = []

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        files = Watched({"a": "x" * 1000})
        trajectory = trial().trajectory.model_copy(update={"files": files})
        made = replace(trial(index + 1), trajectory=trajectory)
        self.kept.append(weakref.ref(files))
        del files
        self.most = max(self.most, sum(it() is not None for it in self.kept))
        return made

    def __iter__(self) -> Iterator[TrialRecord]:
        return (self[it] for it in range(self.length))


class Watched(dict[str, str]):
    """A dictionary that can be watched."""

    __slots__ = ("__weakref__",)


def test_never_more_than_one_trial_is_in_memory() -> None:
    record = run_of(trial())
    lazy = Lazy(20)
    record = replace(record, tasks=(replace(record.tasks[0], trials=lazy),))
    places = list(places_of(record))
    gc.collect()
    lazy.most = 0
    lengths = [len(it) for it in trace_page(places)]
    assert len(lengths) > 40
    assert 1 <= lazy.most <= 2


def test_a_check_shows_its_entry_and_what_it_points_to(tmp_path: Path) -> None:
    eval_path = tmp_path / "eval.yaml"
    eval_path.write_text("graders:\n  - type: text\n    name: facts\n    config:\n      contains: [moon]\n")
    check = FailedCheck(("contains", 0), 'missing: "moon"', wanted="contains: moon", place=Place("output", 1))
    outcome = GraderOutcome(
        "facts",
        "text",
        "failed",
        0.0,
        1.0,
        "1 failed",
        path=eval_path,
        pointer=("graders", 0),
        parts=(check,),
    )
    silent = GraderOutcome("silent", "program", "failed", 0.0, 1.0)
    one = replace(
        trial(), graders=(outcome, silent), checkpoints=(CheckpointOutcome(1, "failed", (outcome,)),)
    )
    first, last, bare = TrialDocuments().trial(one)["graders"]
    assert (first["after_turn"], last["after_turn"], last["entry"].splitlines()[0]) == (
        1,
        0,
        "  - type: text",
    )
    assert last["source"]["line"] == 2
    [found] = last["checks"]
    assert found["source"]["line"] == 5
    assert (found["pointer"], found["target"]) == (["contains", 0], {"kind": "output", "line": 1})
    assert [it["message"] for it in bare["checks"]] == ["It did not pass"]
