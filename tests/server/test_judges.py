"""The standing of judges in the editor: a lens above the grader, and hints."""

from pathlib import Path

import pytest

from tests.engine.calibration.judged import command, judged_eval, use
from tests.server.results_harness import Editor, editor, until
from waza_engine.calibration.codes import RULES
from waza_engine.runs.reviews import Review, add_review

CODES = {it.code for it in RULES}


def told(it: Editor) -> dict[str, str]:
    mine = [params for _, params in it.published if params.uri == it.uri]
    return {str(one.code): one.message for one in (mine[-1].diagnostics if mine else ()) if one.code in CODES}


@pytest.fixture(name="judged")
def _judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """Return an eval that a judge has judged, and the id of the run."""
    use(monkeypatch, lambda request: "please" in request.message)
    path = judged_eval(tmp_path / "e", ["please", "no", "thanks"])
    monkeypatch.chdir(path.parent)
    command("run", path)
    return path, command("runs", "list").stdout.split()[0]


async def test_a_judge_is_measured_above_its_grader_and_reviews_change_the_lens(
    tmp_path: Path, judged: tuple[Path, str]
) -> None:
    path, run = judged
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(path)
        await it.lenses_with("judge: 3 verdicts, none judged by people")
        await until(lambda: set(told(it)) == {"judge-of-agent-family"})
        assert told(it)["judge-of-agent-family"].startswith("Agent and judge are both GPT models")
        for task, passed in {"t0": True, "t1": False, "t2": False}.items():
            review = Review(run=run, task=task, grader="kind", passed=passed, score=float(passed))
            add_review(path.parent / ".waza-lsp" / "reviews.jsonl", review)
        await it.lenses_with("judge: kappa 1.00 with 3 human verdicts")
        it.replace("name: kind", "name: gentle")
        assert not [one for one in await it.lenses() if "judge:" in one]
        it.replace("- config:", "- config:  # waza-lsp: ignore[judge-of-agent-family]")
        it.save(path)
        await until(lambda: told(it) == {})
