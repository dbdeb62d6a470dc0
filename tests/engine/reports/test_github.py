"""The failures in Markdown for GitHub: in the words of the terminal, and harmless."""

from dataclasses import replace

from tests.engine.reports.html.pages import failing
from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.github import github_markdown
from waza_engine.reports.text import text_report


async def test_failures_have_the_words_of_the_terminal(bench: Bench, scripted: Scripted) -> None:
    record = await failing(bench, scripted)
    text = github_markdown(record)
    block = text.partition("```text\n")[2].partition("\n```")[0]
    assert block.startswith("says 0.00  ")
    on_terminal = [it.removeprefix(" " * 6) for it in text_report(record).splitlines()]
    assert all(it in on_terminal for it in block.splitlines())
    assert on_terminal[-1].removeprefix("FAILED: ").split(",")[0] in text.splitlines()[2]
    # The reader sees the failures before the table of all tasks.
    assert text.index("Failures: 1 of 2 tasks") < text.index("| --- |")


async def test_an_agent_cannot_end_the_block(bench: Bench, scripted: Scripted) -> None:
    async def says(_: TrialRequest) -> Trajectory:
        return said("nope\n````\n[x](http://e.com) @me ```` `a\n```\n\u202e")

    scripted.perform = says
    graders = (contains("hello ```` [x](y)"),)
    record = await bench.run(bench.suite(task("a"), graders=graders), scripted)
    lines = github_markdown(record).splitlines()
    assert lines.count("`````text") == lines.count("`````") == 1
    inside = lines[lines.index("`````text") + 1 : lines.index("`````")]
    assert inside
    assert not any("http" in it for it in lines if it not in inside)
    assert "\u202e" not in github_markdown(record)


async def test_many_tasks_are_folded(bench: Bench, scripted: Scripted) -> None:
    record = await failing(bench, scripted)
    many = replace(record, tasks=tuple(replace(record.tasks[1], task=f"t{it}") for it in range(25)))
    text = github_markdown(many)
    assert text.count("```text") == 20
    assert "\nand 5 more\n" in text
    assert text.index("and 5 more") < text.index("<details><summary>All 25 tasks</summary>\n\n| | Task")
