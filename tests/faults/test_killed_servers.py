"""Servers, their children and their connections that are broken off at random instants, while somebody works with them.

`python -m tests.faults.random_server_kills FOLDER 100` does it for as many instants as one likes.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.slow import examples

ROOT = Path(__file__).parents[2]
KILLS = examples(8)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for leftovers in /proc")
def test_servers_that_are_broken_off_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.random_server_kills", str(tmp_path), str(KILLS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert sum(found["killed"].values()) == KILLS
    # The last server of each folder has run something.
    assert found["runs"] >= KILLS
    assert found["trials"] >= KILLS
