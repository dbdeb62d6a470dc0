"""The audit survives its worker, killed between questions or while it hangs. No process stays after the server."""

import os
import signal
from pathlib import Path

import pytest

from tests.engine.audit.evals import recording, text_grader, write_eval
from tests.server.results.test_annotations import children
from tests.server.results_harness import Editor, editor, until

CODE = "passes-without-work"


def words(it: Editor) -> str:
    """Return the newest finding about a task that passes without work, "" if there is none."""
    mine = [params for _, params in it.published if params.uri == it.uri]
    return next((one.message for one in (mine[-1].diagnostics if mine else ()) if one.code == CODE), "")


def workers(it: Editor) -> list[int]:
    return children(it.pid, "helper.process")


@pytest.mark.usefixtures("fresh_children")
async def test_a_killed_or_stopped_worker_is_replaced(tmp_path: Path) -> None:
    graders = [text_grader(contains=["sorry"])]
    path = write_eval(
        tmp_path / "e", [{"id": "t", "graders": graders}], recordings=[recording("t", "sorry, Done.")]
    )
    seen = set[int]()
    async with editor(tmp_path, settings={"audit": {"enable": True}}) as it:
        it.open(path.parent / "tasks" / "t.yaml")
        await until(lambda: "refuses" in words(it))
        # Killed between two questions: the next one starts another.
        [first] = workers(it)
        seen.add(first)
        os.kill(first, signal.SIGKILL)
        it.replace("- sorry", "- Done.")
        await until(lambda: 'says only "Done."' in words(it))
        [second] = workers(it)
        seen.add(second)
        # Stopped, as if it hung: the server answers meanwhile. `tests/server/live` has the end of its patience.
        os.kill(second, signal.SIGSTOP)
        it.replace("- Done.", "- sorry")
        assert await it.lenses()
        os.kill(second, signal.SIGKILL)
        await until(lambda: "refuses" in words(it))
        seen.update(workers(it))
        assert len(seen) == 3
        assert len(workers(it)) == 1
    await until(lambda: not any(Path(f"/proc/{it}").exists() for it in seen))
