"""The live audit: what passes on broken work is shown in the file, and follows each edit."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.audit.evals import recording, text_grader, write_eval
from tests.server.commands.test_recorded_runs import actions, apply
from tests.server.results_harness import Editor, editor, until
from waza_engine.audit.codes import RULES

WEAK = text_grader(not_contains=["error"])
TELL = "Add a check that tells them apart: "
CODES = {it.code for it in RULES}


def told(it: Editor) -> dict[str, str]:
    """Return the messages of the audit's findings by code."""
    mine = [params for _, params in it.published if params.uri == it.uri]
    return {str(one.code): one.message for one in (mine[-1].diagnostics if mine else ()) if one.code in CODES}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    trial = recording(
        "t", "Version 2.0 is out", [("create", {"path": "NOTES.md"})], files={"NOTES.md": "2.0"}
    )
    return write_eval(tmp_path / "e", [{"id": "t", "graders": [WEAK]}], recordings=[trial]).parent


async def test_what_passes_without_work_is_shown_and_goes_with_the_edit(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(suite / "tasks" / "t.yaml")
        await until(lambda: set(told(it)) == {"passes-without-work"})
        assert told(it)["passes-without-work"].startswith("This task passes for an agent that says nothing")
        await it.lenses_with("⚠ passes for: silence, done, refusal and 3 more · mutation score 0 %")
        line = next(n for n, text in enumerate(it.text.split("\n")) if "- config" in text)
        hover = await it.hover(line, it.text.split("\n")[line].index("config"))
        # The message names the first three, and the hover the others.
        assert "The other agents that pass: echo, plan, untouched" in hover
        assert "Broken work that passes:" in hover
        assert "-Version 2.0 is out\n+Version 2.0 is not out" in hover.replace("- V", "-V").replace(
            "+ V", "+V"
        )
        it.replace("not_contains", "contains")
        it.replace("- error", "- Version 2.0 is out")
        await it.lenses_with("mutation score 100 %")
        await until(lambda: set(told(it)) == {"unseen-work"})
        assert it.events == []


async def test_levels_and_the_switch(tmp_path: Path, suite: Path) -> None:
    (tmp_path / ".waza-lsp.toml").write_text('[rules]\npasses-without-work = "warning"\n')
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(suite / "tasks" / "t.yaml")
        await until(lambda: set(told(it)) == {"passes-without-work"})
        [(_, params)] = [one for one in it.published if one[1].uri == it.uri][-1:]
        assert [one.severity for one in params.diagnostics if one.code in CODES] == [2]
        # A comment in the unsaved text marks it as a negative test.
        it.replace("id: t", "id: t  # waza-lsp: negative-test")
        await until(lambda: told(it) == {})
        # The entry of a grader begins in the line of its first key.
        it.replace("- config:", "- config:  # waza-lsp: ignore[passes-without-work] a smoke test")
        await until(lambda: told(it) == {})
        [(_, params)] = [one for one in it.published if one[1].uri == it.uri][-1:]
        assert "unused-suppression" not in {one.code for one in params.diagnostics}
    async with editor(tmp_path, settings={"audit": {"enable": False}}) as it:
        it.open(suite / "tasks" / "t.yaml")
        lenses = await it.lenses_with("Grade again")
        assert not any("mutation score" in one for one in lenses)
        assert told(it) == {}


async def test_a_check_that_tells_them_apart_is_offered_and_works(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(suite / "tasks" / "t.yaml")
        await until(lambda: "passes-without-work" in told(it))
        line = next(n for n, text in enumerate(it.text.split("\n")) if "- config" in text)
        async with asyncio.timeout(60):
            # The menu has a short timeout, which a busy machine can miss.
            while not (offered := [one for one in await actions(it, line) if one["title"].startswith(TELL)]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert offered[0]["title"].endswith("(passes on 1 recorded run, fails on 7 broken)")
        apply(it, offered[0]["edit"])
        await it.lenses_with("mutation score")
        await until(lambda: "passes-without-work" not in told(it))
        assert not any("passes for" in one for one in await it.lenses())


async def test_a_mutant_is_kept_and_must_fail_from_then_on(tmp_path: Path, suite: Path) -> None:
    counter = suite / "recordings" / "counter"
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(suite / "tasks" / "t.yaml")
        await until(lambda: "passes-without-work" in told(it))
        line = next(n for n, text in enumerate(it.text.split("\n")) if "- config" in text)
        offered = [one for one in await actions(it, line) if "as a counter example" in one["title"]]
        assert [one["title"] for one in offered] == [
            f"Keep this trial as a counter example: an agent that {what}"
            for what in ("says nothing", 'says only "Done."', "refuses")
        ]
        mutant = {"uri": it.uri, "task": "t", "mutant": "negate-sentence"}
        found = await it.execute("waza.keepCounterExample", **mutant)
        assert found["path"] == str(counter / "t.json")
        await until(lambda: "counter-example-passes" in told(it))
        assert told(it)["counter-example-passes"].endswith("but pass: recordings/counter/t.json")
        # The same again is the same file.
        assert await it.execute("waza.keepCounterExample", **mutant) == found
        (counter / "t.2.json").write_text("{")
        it.replace("not_contains", "contains")
        it.replace("- error", "- Version 2.0 is out")
        await until(lambda: set(told(it)) == {"unreadable-recording", "unseen-work"})
        assert "recordings/counter/t.2.json is not valid JSON" in told(it)["unreadable-recording"]
        for wrong in (
            {"mutant": "x"},
            {"task": "x"},
            {"uri": (tmp_path / "x.yaml").as_uri()},
            {"uri": "untitled:x"},
        ):
            assert await it.execute("waza.keepCounterExample", **{**mutant, **wrong}) is None
        assert sorted(one.name for one in counter.iterdir()) == ["t.2.json", "t.json"]


async def test_an_action_ignores_a_finding(tmp_path: Path, suite: Path) -> None:
    task = suite / "tasks" / "t.yaml"
    task.write_bytes(task.read_bytes().replace(b"\n", b"\r\n"))
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(task, task.read_bytes().decode())
        await until(lambda: set(told(it)) == {"passes-without-work"})
        line = next(n for n, text in enumerate(it.text.split("\n")) if "- config" in text)
        title = "Ignore 'passes-without-work' on this line"
        [found] = [one for one in await actions(it, line) if one["title"] == title]
        apply(it, found["edit"])
        await until(lambda: told(it) == {})
        assert "# waza-lsp: ignore[passes-without-work]" in it.text


async def test_without_trust_nothing_is_kept(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"audit": {"enable": True}}, trusted=False) as it:
        it.open(suite / "tasks" / "t.yaml")
        await until(lambda: "passes-without-work" in told(it))
        assert await it.execute("waza.showAudit", uri=it.uri, quiet=True) is None
        assert it.messages == []
        assert await it.execute("waza.keepCounterExample", uri=it.uri, task="t", mutant="silence") is None
    assert not (suite / "recordings" / "counter").exists()
    assert not (suite / ".waza-lsp").exists()
