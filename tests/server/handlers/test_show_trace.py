"""`waza.showTrace`: a page with the steps of a stored run, written beside the store."""

from pathlib import Path

from tests.engine.reports.trace.pages import Page
from tests.server.results.test_lenses import run_outside
from tests.server.results_harness import editor, plain


def shown(answer: object) -> list[tuple[str, int, str]]:
    found = Page(Path(plain(answer)["path"]).read_text(encoding="utf-8")).data("index")["trials"]
    return [(it["task"], it["trial"], it.get("origin", "")) for it in found]


async def test_a_run_is_shown_step_by_step(suite: Path) -> None:
    eval_path = suite / "eval.yaml"
    async with editor(suite) as it:
        assert await it.execute("waza.showTrace") is None
        assert await it.execute("waza.showTrace", runId="") is None
        run_outside(suite, eval_path)
        whole = await it.execute("waza.showTrace", uri=eval_path.as_uri())
        every = shown(whole)
        task = every[-1][0]
        path = Path(plain(whole)["path"])
        assert path.parent == path.parents[1] / "reports"
        run_id = path.stem.removeprefix("trace-")
        part = shown(await it.execute("waza.showTrace", uri=eval_path.as_uri(), task=task))
        same = shown(await it.execute("waza.showTrace", uri=eval_path.as_uri(), runId=run_id, task=task))
        assert part == same == [one for one in every if one[0] == task]
        assert len(every) > len(part) > 0
        assert await it.execute("waza.showTrace", runId="gone") is None
        assert await it.execute("waza.showTrace", runId=run_id, task="never") is None
        said = it.messages
        assert "No run is recorded yet. Run an eval first." in said
        assert "This result has no stored run: it comes from recordings in files." in said
        assert "The run has no trial of never." in said
        await it.execute("waza.deleteRuns", runIds=[run_id])
        reports = list(path.parent.iterdir())
    assert reports == []
