"""Child processes are cancelled or killed at any moment of their start. Nothing hangs, nothing is left."""

import asyncio
import gc
import os
import sys
from asyncio.base_subprocess import BaseSubprocessTransport as _Transport
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults.leftovers import PATIENCE_SECONDS
from tests.server.results.test_annotations import children
from tests.server.results_harness import until
from waza_lsp.server.runs.follower import follow_run
from waza_lsp.server.runs.process import RunProcesses

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks for children with ps")

TURNS = (*range(10), 50)


@dataclass(frozen=True, slots=True)
class Sleep:
    """A child that is silent and runs forever."""

    directory: Path

    def command(self) -> list[str]:
        return ["sleep", "3600"]

    def stdin(self) -> bytes:
        return b""


async def later(turns: int, then: Callable[[], Any]) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)
    then()


async def ended(task: "asyncio.Task[Any]") -> None:
    done, _ = await asyncio.wait([task], timeout=PATIENCE_SECONDS)
    assert done


async def no_child(of: str) -> None:
    """Check that the child is gone and that the event loop has noticed."""
    await until(lambda: not children(os.getpid(), of))
    # Nobody else holds on to what was killed.
    await until(lambda: not [it for it in gc.get_objects() if isinstance(it, _Transport) and it._proc])


@pytest.mark.parametrize("turns", TURNS)
async def test_a_run_is_cancelled_while_it_is_started(tmp_path: Path, turns: int) -> None:
    cancel = asyncio.Event()
    running = asyncio.create_task(follow_run(RunProcesses(), Sleep(tmp_path), lambda _: None, cancel))
    await later(turns, cancel.set)
    await ended(running)
    assert running.result().status == "cancelled"
    await no_child("sleep 3600")


@pytest.mark.parametrize("turns", TURNS)
async def test_who_runs_is_cancelled_while_the_run_is_started(tmp_path: Path, turns: int) -> None:
    running = asyncio.create_task(
        follow_run(RunProcesses(), Sleep(tmp_path), lambda _: None, asyncio.Event())
    )
    await later(turns, running.cancel)
    await ended(running)
    assert running.cancelled()
    await no_child("sleep 3600")


async def test_children_get_the_variables_of_the_settings(tmp_path: Path) -> None:
    class Printing(Sleep):
        def command(self) -> list[str]:
            return ["printenv", "WAZA_LSP_SANDBOX", "PATH"]

    lines: list[bytes] = []
    processes = RunProcesses(lambda: {"WAZA_LSP_SANDBOX": "bwrap"})
    await processes.run(Printing(tmp_path), lines.append, asyncio.Event())
    assert lines == [b"bwrap\n", f"{os.environ['PATH']}\n".encode()]
