"""The page of an audit: matrices, differences, what was left out, and how large it may be."""

import time
from dataclasses import replace
from pathlib import Path

from tests.engine.audit.evals import audited, recording, text_grader, write_eval
from tests.engine.reports.html.audits import FILES, WORDS, audited_eval, mutant, task_audit
from tests.engine.reports.html.pages import NASTY, dead_links, failing, well_formed
from tests.engine.runs.bench import Bench, Scripted
from waza_engine.audit.intent import Intent
from waza_engine.audit.score import EvalAudit, TaskAudit
from waza_engine.executors.base import ExecutorOptions
from waza_engine.reports.html.audit import html_audit
from waza_engine.reports.html.audit_matrix import columns_of, grader_rows, task_cells
from waza_engine.reports.html.report import html_report

_LARGEST = 3_000_000


def page_of(*evals: EvalAudit, problems: tuple[str, ...] = (), stopped: str = "", task: str = "") -> str:
    text = well_formed("".join(html_audit(evals, problems, stopped, task)))
    assert dead_links(text) == []
    assert NASTY not in text
    return text


def cells(audit: TaskAudit) -> dict[str, tuple[str, str]]:
    columns = columns_of([audit])
    found = zip(columns, task_cells(audit, columns), strict=True)
    return {column.name: (it.look, it.mark) for column, it in found if it is not None}


def test_a_field_says_what_happened_in_words_too() -> None:
    found = cells(task_audit(1))
    assert found["silence"] == ("passes", "✗")
    assert found["drop-call"] == ("noticed", "✓")
    assert found["delete-file"] == ("unseen", "○")
    assert found["fail-call"] == ("error", "!")
    assert found["counter examples"] == ("passes", "✗")
    assert cells(task_audit(2))["silence"] == ("undecided", "?")
    negative = cells(task_audit(1, Intent.NOTHING))
    assert negative["silence"] == negative["negate-sentence"] == ("allowed", "≈")
    assert cells(task_audit(1, is_weak=False))["silence"] == ("noticed", "✓")
    text = page_of(audited_eval(5))
    for words in (
        "silence: passes",
        "drop-call: noticed, 2 of 2",
        "delete-file: no grader looks at what changed",
    ):
        assert f'role="img" title="{words}"' in text


def test_several_mutants_of_one_mutation_are_counted() -> None:
    audit = task_audit(1)
    weaker = replace(
        audit,
        attempts=tuple(
            replace(it, status="passed", failed_graders=()) if it.change == "without view(a.txt)" else it
            for it in audit.attempts
        ),
    )
    assert cells(weaker)["drop-call"] == ("passes", "✗ 1/2")


def test_graders_with_what_only_they_notice() -> None:
    audits = [task_audit(1), task_audit(2, is_weak=False)]
    columns = columns_of(audits)
    assert grader_rows(audits, columns, 1) == ([grader_rows(audits, columns, 3)[0][0]], 2)
    (words, files, fit), more = grader_rows(audits, columns, 3)
    assert more == 0
    assert (words.grader, words.tasks, words.is_blind) == (WORDS, 2, False)
    # Eight agents in each task, two calls in each, the negated sentence and the counter example.
    assert (words.killed, words.only) == (8 + 2, 8)
    assert (files.killed, files.only, fit.killed, fit.is_blind) == (4, 2, 0, True)
    marks = {
        column.name: it.mark
        for column, it in zip(columns, files.cells(columns), strict=True)
        if it is not None
    }
    assert marks["drop-call"] == "4/4★"
    assert "negate-sentence" not in marks
    assert FILES.name.partition(" ")[0] in page_of(audited_eval(3))


def test_checks_of_the_task_itself_have_rows_too() -> None:
    own = mutant("halve-output", "with half of the output", "_output_contains", seen=("words",))
    audit = replace(task_audit(1), attempts=(own,), graders=(WORDS,))
    (words, check), _ = grader_rows([audit], columns_of([audit]), 9)
    assert (words.killed, words.seen) == (0, 1)
    assert (check.grader.name, check.grader.type, check.only) == ("_output_contains", "check", 1)


def test_a_null_agent_that_may_pass_counts_against_no_grader() -> None:
    audit = task_audit(1, Intent.NOTHING)
    (words, *_), _ = grader_rows([audit], columns_of([audit]), 9)
    assert "silence" not in {it.name for it in words.powers}


def test_survivors_are_differences_with_their_readers() -> None:
    text = page_of(audited_eval(3))
    assert "with a negated sentence (trial 1) · read by words" in text
    assert '<div class="add">+It is not</div>' in text
    assert "@@" not in text
    # A judge that was not asked could notice the counter example.
    assert "the counter example t2.json" not in text
    some = audited_eval(3)
    all_asked = replace(some, audits=[replace(it, left_out=()) for it in some.audits])
    # What the words say already is not shown again.
    assert "<p>the counter example t2.json</p>" in page_of(all_asked)
    assert "Not asked: judge." in text
    assert "reads only the prompt" in text
    assert "<b>unless a grader notices that was not asked</b>" in text


def test_the_page_says_what_is_not_whole() -> None:
    broken = replace(task_audit(5), problem=f"The grader {NASTY} is broken", attempts=())
    one = audited_eval(3)
    one = replace(one, audits=[*one.audits, broken])
    text = page_of(
        one, audited_eval(2, Path("f/eval.yaml")), problems=(f"g: {NASTY}",), stopped="out of time"
    )
    assert "The audit is not whole: out of time." in text
    assert "Audit of 2 evals" in text
    assert text.count("<b>e/eval.yaml</b>") == 2
    assert "not audited" in text
    nothing = page_of(EvalAudit(Path("e.yaml"), "e", [], 0))
    assert "0 tasks audited" in nothing


def test_the_page_begins_with_the_task_of_the_reader() -> None:
    text = page_of(audited_eval(30), task="t17")
    assert text.index('<details class="task audited" open>') < text.index("What passes")
    assert text.count('id="audit-17"') == 1
    assert text.count('<details class="task audited" open>') == 1


def test_a_thousand_tasks_make_a_small_page_soon() -> None:
    started = time.perf_counter()
    text = page_of(audited_eval(1000))
    assert time.perf_counter() - started < 10
    assert len(text) < _LARGEST
    assert "and 800 more tasks, where less passes" in text
    assert "940 more tasks could notice more, too." in text


def test_an_eval_with_recordings(tmp_path: Path) -> None:
    trial = recording(
        "t", "Version 2.0 is out", [("create", {"path": "NOTES.md"})], files={"NOTES.md": "2.0"}
    )
    path = write_eval(
        tmp_path / "e", [{"id": "t", "graders": [text_grader(not_contains=["error"])]}], recordings=[trial]
    )
    text = page_of(EvalAudit(path, "e", list(audited(path).values()), 1))
    assert "1 task audited · 1 passes for an agent that does no work · mutation score 0 %" in text
    assert '<div class="add">+Version 2.0 is not out</div>' in text
    assert "<li>without the file NOTES.md</li>" in text


async def test_the_report_of_a_run_has_the_audit_if_there_is_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    record = await failing(bench, Scripted(ExecutorOptions(tmp_path)))
    text = well_formed(html_report(record, audits=[audited_eval(3)]))
    assert dead_links(text) == []
    assert text.index("Audit of the checks") < text.index("What passes")
    assert "What passes" not in html_report(record)
