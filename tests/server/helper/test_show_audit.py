"""`waza.showAudit`: a page about an eval, written beside the store."""

import asyncio
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from tests.engine.audit.evals import recording, text_grader, write_eval
from tests.server.results_harness import Editor, editor, plain, until
from waza_lsp.server.helper.process import audits as worker
from waza_lsp.server.helper.questions import About, AuditPage

WEAK = text_grader(not_contains=["error"])


def written(folder: Path, count: int = 2) -> Path:
    tasks = [{"id": f"t{it}", "graders": [WEAK]} for it in range(count)]
    return write_eval(folder / "e", tasks, recordings=[recording("t0", "Version 2.0 is out")])


def read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def pages_in(folder: Path) -> list[Path]:
    return [*folder.rglob("*.html")]


async def page_of(it: Editor, **argument: str) -> str:
    answer = plain(await it.execute("waza.showAudit", **argument))
    assert answer["uri"] == Path(answer["path"]).as_uri()
    return read(answer["path"])


async def test_the_page_has_the_text_of_the_editor_and_begins_with_the_task(tmp_path: Path) -> None:
    suite = written(tmp_path)
    async with editor(tmp_path, settings={"audit": {"enable": False}}) as it:
        it.open(suite)
        assert "Audit" in await it.lenses_with("Audit")
        page = await page_of(it, uri=it.uri)
        assert "2 tasks audited · 2 pass for an agent that does no work · mutation score 0 %" in page
        assert (suite.parent / ".waza-lsp" / ".gitignore").read_text() == "*\n"
        [file] = (suite.parent / ".waza-lsp" / "reports").iterdir()
        assert file.name.startswith("audit-e-eval-")
        it.open(suite.parent / "tasks" / "t1.yaml")
        it.replace("not_contains", "contains")
        page = await page_of(it, uri=it.uri, task="t1")
        assert "1 passes for an agent that does no work" in page
        assert page.index("<b>t1</b>") < page.index("What passes")
        # Without a message, progress or question.
        answer = plain(await it.execute("waza.showAudit", uri=it.uri, task="t1", quiet=True))
        assert (read(answer["path"]), answer["eval"]) == (page, suite.as_uri())
        # A file that is not open, of the same eval.
        assert "2 tasks audited" in await page_of(it, uri=(suite.parent / "tasks" / "t0.yaml").as_uri())
        assert len([*file.parent.iterdir()]) == 1


async def test_what_cannot_be_audited_is_said(tmp_path: Path) -> None:
    suite = written(tmp_path)
    lonely = tmp_path / "lonely.yaml"
    lonely.write_text("id: x\nname: x\ninputs: {prompt: Hi}\n")
    async with editor(tmp_path) as it:
        it.open(suite)
        for argument in ({"uri": lonely.as_uri()}, {"uri": (tmp_path / "none.yaml").as_uri()}, {}):
            assert await it.execute("waza.showAudit", **argument) is None
        it.replace("tasks/*.yaml", "[")
        assert await it.execute("waza.showAudit", uri=it.uri) is None
        messages = [one.message for one in it.client.messages]
        for argument in ({"uri": it.uri}, {"uri": lonely.as_uri()}, {}):
            assert await it.execute("waza.showAudit", **argument, quiet=True) is None
        assert len(it.client.messages) == len(messages)
    assert len(messages) == 4
    assert messages[0] == "There is nothing to audit: no eval lists this file."
    assert messages[1] == messages[2] == "There is no eval to audit. Open an eval or a task."
    assert pages_in(tmp_path) == []


def test_a_page_is_made_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = written(tmp_path, 3)
    ticks = count()
    # Each part has time for one task.
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: next(ticks) * 0.11))
    *parts, last = worker.audit_page(AuditPage(About(str(suite), str(suite), str(suite.parent))))
    assert [it["done"] for it in parts] == [1, 2, 3]
    assert last["is_last"]
    assert "<html" in last["html"]


async def test_a_long_audit_shows_progress_and_can_be_cancelled(tmp_path: Path) -> None:
    suite = written(tmp_path, 300)
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(suite)
        asking = asyncio.create_task(it.execute("waza.showAudit", uri=it.uri))
        shown: dict[Any, list[Any]] = it.client.progress_reports
        await until(
            lambda: any("of 300 tasks" in (one.message or "") for its in shown.values() for one in its)
        )
        [token] = [one for one, its in shown.items() if its[0].title == "Auditing"]
        it.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert await asking is None
    assert pages_in(tmp_path) == []
