"""A run killed at any instant loses only the trial in progress.

`python -m tests.engine.runs.killed_again_and_again FOLDER 1000` kills it a thousand times.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.runs import killed_again_and_again as program
from tests.slow import examples

KILLS = examples(400)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_kills_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.engine.runs.killed_again_and_again", str(tmp_path), str(KILLS)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = json.loads(told.stdout)
    assert (found["killed"], found["ended"], found["runs"]) == (KILLS, 0, ["passed"]), told.stderr
    wanted = [[task, number, "passed"] for task in program.TASKS for number in range(1, program.TRIALS + 1)]
    assert found["trials"] == wanted
    assert len(wanted) <= found["performed"] <= len(wanted) + KILLS
    assert found["check"] == [["ok"]]
