"""The comment on a pull request: its words, and that nothing of others is more than text."""

import re
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.reports.trace.pages import run_of
from tests.slow import examples
from waza_engine.model.results.records import RunRecord, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.pull_request.build import eval_summary
from waza_engine.reports.pull_request.comment import (
    MOST_CHARACTERS,
    code,
    comment_markdown,
    fenced,
    is_key,
)
from waza_engine.reports.pull_request.summary import (
    MOST_TASKS,
    NO_EARLIER_SCORE,
    AuditSummary,
    Compared,
    EvalSummary,
    FindingSummary,
    Summary,
    TaskSummary,
    bounded,
    cut,
    parse_summary,
)


def _task(name: str, status: str, before: float | None, now: float | None, word: str = "") -> TaskSummary:
    compared = Compared(before=before, now=now, n=6, n_before=6 if before is not None else 0, word=word)
    return TaskSummary(name=name, status=status, compared=compared)


def test_the_comment_has_the_line_of_each_task_that_changed() -> None:
    tasks = [
        _task("writes-the-notes", "passed", 0.5, 0.75, "no difference shown"),
        _task("as before", "passed", 1.0, 1.0, "no difference shown"),
        _task("new", "passed", None, 1.0),
        _task("undecided", "passed", None, 1.0, NO_EARLIER_SCORE),
        _task("worse", "failed", 1.0, 0.5, "worse"),
    ]
    compared = Compared(before=0.8, now=0.75, n=4, n_before=4, word="no difference shown")
    found = EvalSummary(
        path="evals/notes.yaml", name="notes", status="failed", compared=compared, tasks=tasks
    )
    summary = Summary(
        base="main",
        base_commit="1f0c2d3e" * 5,
        skill_count=2,
        eval_count=41,
        run_count=3,
        tokens=400_000,
        evals=[found],
        audits=[AuditSummary(path="evals/notes.yaml", score=0.999, passing=["lazy"], survivors=1)],
        findings=[FindingSummary(path="a.yaml", line=3, level="error", code="bad", message="It is bad")],
        error_count=2,
    )
    assert comment_markdown(summary, "key", "https://github.com/a/b").splitlines() == [
        "<!-- waza-lsp:key -->",
        "## waza-lsp: ❌ failed",
        "",
        "2 skills changed, 3 of 41 evals run, 0.4 M tokens. Compared with `main` at `1f0c2d3e`.",
        "",
        "[Traces and reports of this run](https://github.com/a/b)",
        "",
        "",
        "**❌** `notes` 0.80 -> 0.75 (n = 4, no difference shown)",
        "`evals/notes.yaml`",
        "",
        "- ❌ `worse` 1.00 -> 0.50 (n = 6, worse)",
        "- ✅ `new` 1.00 (n = 6, new task)",
        "- ✅ `undecided` 1.00 (n = 6, no earlier score)",
        "- ✅ `writes-the-notes` 0.50 -> 0.75 (n = 6, no difference shown)",
        "- 1 other task passed, with the same scores",
        "",
        "**Check:** 2 errors",
        "",
        "- `a.yaml:3` error `bad`: `It is bad`",
        "- and 1 more",
        "",
        "**Audit:** would the graders notice broken work?",
        "",
        "- `evals/notes.yaml`: mutation score 99 %, 1 mutant not noticed, passes without work: `lazy`",
    ]


def test_a_task_that_could_not_be_judged_before_is_not_new() -> None:
    def run(*statuses: Literal["passed", "error"]) -> RunRecord:
        trials = (
            TrialRecord(f"t{number}", 0, 1, it, 1.0, 1.0, Trajectory(), infrastructure=it == "error")
            for number, it in enumerate(statuses)
        )
        return run_of(*trials)

    found = eval_summary(run("passed", "passed"), "a.yaml", run("passed", "error"))
    assert [it.compared.word for it in found.tasks][1] == NO_EARLIER_SCORE
    assert (found.compared.before, found.compared.n) == (1.0, 1)
    found = eval_summary(run("passed"), "a.yaml", run("error"))
    assert "`suite` 1.00 (n = 1, no earlier score)" in comment_markdown(Summary(evals=[found]))


def test_what_could_not_be_judged_is_no_failure() -> None:
    found = EvalSummary(
        path="a.yaml", name="a", status="error", is_undecided=True, verdict="the judge was down", tasks=[]
    )
    text = comment_markdown(Summary(evals=[found], base="main"))
    assert "## waza-lsp: ⚠️ not everything could be judged" in text
    assert "**⚠️** `a` not judged\n`a.yaml`\n\n> `the judge was down`" in text
    assert "There are no runs of `main` to compare with." in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "`a`"),
        ("", "` `"),
        ("`", "`` ` ``"),
        ("a``b`", "``` a``b` ```"),
        ("a\n\n# b\r\n@c", "`a # b @c`"),
        ("\x1b[2J\u202e<b>", "`\ufffd[2J\ufffd<b>`"),
    ],
)
def test_inline_code(text: str, shown: str) -> None:
    assert code(text) == shown


@settings(max_examples=examples(300))
@given(st.text(alphabet="`ab \n:#@<~\u202e\x00\r"))
def test_no_text_ends_its_code(text: str) -> None:
    inline = code(text)
    fence = inline[: len(inline) - len(inline.lstrip("`"))]
    assert "\n" not in inline
    assert inline.endswith(fence)
    assert re.search(rf"(?<!`){fence}(?!`)", inline[len(fence) : -len(fence)]) is None
    first, *lines, last = fenced([text]).splitlines()
    assert first.removesuffix("text") == last
    assert not any(it.strip() and it.strip().startswith(last) for it in lines)


def test_a_summary_stays_readable_however_much_there_is() -> None:
    name = cut("\ud800" + "\U0001f4a5" * 1000)
    tasks = [TaskSummary(name=name, status="failed", failures=[name] * 60) for _ in range(MOST_TASKS)]
    many = [EvalSummary(path=name, name=name, status="failed", tasks=tasks)] * 600
    summary = Summary(evals=bounded(many))
    data = summary.model_dump_json(indent=1).encode()
    assert parse_summary(data) == summary
    assert len(comment_markdown(summary).encode()) <= MOST_CHARACTERS


@pytest.mark.parametrize(
    ("key", "expected"),
    [("waza-lsp", True), ("a.b_c", True), ("a--b", False), ("-a", False), ("a b", False), ("", False), ("é", False), ("a" * 61, False)],
)  # fmt: skip
def test_keys(key: str, expected: bool) -> None:
    assert is_key(key) == expected
