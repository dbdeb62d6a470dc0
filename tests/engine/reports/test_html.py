"""The pictures of the HTML reports: diffs, timelines, score distributions, history, comparison."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.executors.event_log import EventLog
from waza_engine.reports.history import history_lines
from waza_engine.reports.html import html_report
from waza_engine.reports.html_charts import histogram, squares, strip
from waza_engine.reports.html_comparison import html_comparison
from waza_engine.reports.html_diff import files_in, patch_html, text_diff
from waza_engine.reports.html_history import history_page
from waza_engine.reports.html_timeline import timeline
from waza_engine.runs.records import RunRecord, TrialVerdict
from waza_engine.runs.store import RunStore
from waza_engine.scoring import Interval
from waza_engine.suite import InputFile
from waza_engine.trajectory import Trajectory

NASTY = "</pre><script>alert(1)</script>\"'><img src=x onerror=y>"
_VOID = frozenset(["meta", "br", "img", "link", "tr", "td", "th", "li", "p"])


class Balanced(HTMLParser):
    """Fails on a tag that is never closed, or closed twice; some may be left open in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "img", "link", "iframe", "object"}
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in _VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.opened.pop() == tag


def well_formed(text: str) -> str:
    parser = Balanced()
    parser.feed(text)
    assert parser.opened == []
    return text


async def edited(bench: Bench, scripted: Scripted) -> RunRecord:
    """Three trials of two tasks, of which some fail; the agent edits files."""

    async def edits(request: TrialRequest) -> Trajectory:
        log = EventLog()
        log.add("user.message", {"content": request.task.prompt})
        log.add("tool.execution_start", {"toolCallId": "1", "toolName": NASTY, "arguments": {"path": NASTY}})
        log.add("tool.execution_complete", {"toolCallId": "1", "success": True, "result": {"content": NASTY}})
        log.say("hello" if request.trial != 2 else "nope")
        (request.workspace_dir / "in.txt").write_text("new <line>\n", encoding="utf-8")
        (request.workspace_dir / "more.md").write_text("# More\n", encoding="utf-8")
        (request.workspace_dir / "gone.txt").unlink()
        return log.trajectory(task=request.task.id, model="m", prompt=request.task.prompt, duration_ms=20)

    scripted.perform = edits
    files = (InputFile("in.txt", b"old line\n"), InputFile("gone.txt", b"bye\n"), InputFile("same.txt", b"x"))
    graders = (contains("hello"), contains("world", name="world"))
    tasks = (task("a", files=files, name=NASTY), task("b", files=files))
    return await bench.run(bench.suite(*tasks, graders=graders), scripted, trials=3)


async def test_a_run_shows_what_changed_and_when(bench: Bench, scripted: Scripted) -> None:
    record = await edited(bench, scripted)
    trajectory = record.tasks[0].trials[0].trajectory
    assert trajectory.patch is not None
    assert files_in(trajectory.patch) == ["gone.txt", "in.txt", "more.md"]
    page = well_formed(html_report(record))
    assert '<div class="head">gone.txt (deleted)</div>' in page
    assert '<div class="head">more.md (new)</div>' in page
    assert '<div class="del">-old line</div><div class="add">+new &lt;line&gt;</div>' in page
    assert "same.txt" not in page
    assert '<div class="lane"' in page
    assert page.count('class="dot') == 6
    assert 'class="range"' in page


async def test_a_recording_without_a_patch_shows_its_files(bench: Bench, scripted: Scripted) -> None:
    record = await edited(bench, scripted)
    trial = record.tasks[0].trials[0]
    old = trial.trajectory.model_copy(update={"patch": None, "removed": [NASTY]})
    page = well_formed(
        html_report(
            replace(record, tasks=(replace(record.tasks[0], trials=(replace(trial, trajectory=old),)),))
        )
    )
    assert "Files after the run: 3" in page


async def test_earlier_runs_are_part_of_a_stored_report(bench: Bench, scripted: Scripted) -> None:
    with RunStore(bench.folder / "store") as store:
        bench.store = store
        record = await edited(bench, scripted)
        assert "runs</h2>" not in html_report(record, store.history("run-1"))
        again = [
            [TrialVerdict(NASTY, 1, "passed", 1.0), TrialVerdict("b", 1, "failed", 0.0)],
            *store.history("run-1"),
        ]
        page = well_formed(html_report(record, again))
    assert "The last 2 runs" in page
    assert '<i class="failed" title="failed"></i>' in page


def test_the_history_of_an_eval_ends_with_the_run(bench: Bench) -> None:
    from tests.engine.runs.test_store import started, trial

    with RunStore(bench.folder) as store:
        for number in range(3):
            started(store, f"r{number}", float(number))
            store.save_trial(f"r{number}", trial("a", number))
        started(store, "empty", 2.5)
        assert [[it.trial for it in run] for run in store.history("r1")] == [[0], [1]]
        assert [[it.trial for it in run] for run in store.history("empty", most=3)] == [[1], [2]]


def test_a_history_of_its_own() -> None:
    runs = [[TrialVerdict("a", 1, "passed", 1.0)], [TrialVerdict("a", 1, "failed", 0.0)], []]
    page = well_formed("".join(history_page(NASTY, runs)))
    assert page.count("<i ") >= 3
    assert "not two runs yet" in well_formed("".join(history_page("x", runs[:1])))


def test_trials_that_were_not_judged_say_nothing_of_a_task() -> None:
    judged = [TrialVerdict("a", 1, "passed", 1.0), TrialVerdict("a", 2, "skipped", 0.0)]
    never = [TrialVerdict("b", 1, "skipped", 0.0)]
    first, second, _ = history_lines([[*never, *judged], [*never, *judged]])
    assert first.split() == ["a", "100%", "+.", "+."]
    assert second.split() == ["b", "-", ".", "."]
    page = well_formed("".join(history_page("x", [[*never, *judged], [*never, *judged]])))
    *_, first, second = page.partition("<table>")[2].split("<tr>")
    assert "100%" in first
    assert second.split("</tr>")[0].endswith("<td><td>")
    assert "flaky" not in first + second


async def test_two_runs_side_by_side(bench: Bench, scripted: Scripted) -> None:
    before = await edited(bench, scripted)
    after = await bench.run(bench.suite(task("a", name=NASTY), task("new"), graders=(contains("hello"),)))
    page = well_formed("".join(html_comparison([NASTY, "after"], [before, after])))
    assert "became better" in page
    assert "output of the last run" in page
    same = well_formed("".join(html_comparison(["x", "y"], [before, before])))
    assert "Nothing: verdicts and outputs are the same." in same


async def test_a_large_run_shows_only_what_needs_a_look(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waza_engine.reports.html._MOST_TRIALS", 5)

    async def sometimes(request: TrialRequest) -> Trajectory:
        return said("hello" if request.trial % 2 else "nope")

    scripted.perform = sometimes
    record = await bench.run(bench.suite(task("a"), graders=(contains("hello"),)), scripted, trials=8)
    page = well_formed(html_report(record))
    assert page.count('<details class="trial"') == 4


@pytest.mark.parametrize("patch", ["", "nonsense", "diff --git a/x b/x\nBinary files a/x and b/x differ\n"])
def test_any_patch_can_be_shown(patch: str) -> None:
    well_formed("".join(patch_html(patch)))


def test_a_long_patch_is_cut() -> None:
    parts = [
        f"diff --git a/{it} b/{it}\n--- a/{it}\n+++ b/{it}\n@@ -0,0 +1 @@\n" + "+x\n" * 900 for it in "abc"
    ]
    shown = "".join(patch_html("".join(parts)))
    assert shown.count('<div class="add">') < 1500
    assert "and more files" in shown


def test_changed_lines_that_look_like_the_head_of_a_diff_are_shown() -> None:
    found = text_diff("-- old\nb", "++ new\nb", ("x", "y"))
    assert '<div class="del">--- old</div><div class="add">+++ new</div>' in found
    assert "--- x" not in found


def test_texts_that_are_the_same_have_no_diff() -> None:
    assert text_diff("a\nb", "a\nb", ("x", "y")) == ""
    assert "+c" in text_diff("a\nb", "a\nc", ("x", "y"))


@pytest.mark.parametrize(
    "transcript",
    [
        [{"type": "tool.execution_start", "at_ms": 5}],
        [{"type": "tool.execution_start", "at_ms": "5", "tool_name": None}],
        [{"type": "tool.execution_complete", "at_ms": -3, "tool_result": [1]}],
        [{"type": "user.message", "content": "x", "at_ms": 0}],
        [{}],
    ],
)
def test_any_transcript_can_be_shown(transcript: list[dict[str, object]]) -> None:
    well_formed("".join(timeline(Trajectory(transcript=transcript))))


def test_scores_outside_of_their_range_stay_in_the_picture() -> None:
    well_formed(strip([(1.5, "passed"), (-1, NASTY)], 2.0, Interval(-1, 3, 1)))
    well_formed(histogram([1.0, 0.0, 7.0, -2.0]))
    well_formed(squares([["passed"], ["failed", "passed"], [NASTY], []]))
