"""`docs/protocol.md` names every command, and every member of every event."""

import dataclasses
import inspect
import re
from pathlib import Path

import pytest

from waza_engine.runs import events
from waza_lsp.server.build import COMMANDS
from waza_lsp.server.handlers.notifications import on_initialize, trusted_option
from waza_lsp.server.helper.audits import CHANGED as AUDIT_CHANGED
from waza_lsp.server.testing import tree as testview

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
RUNNING = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_its_row(command: str) -> None:
    assert f"| `{command}` | `{{" in PAGE


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, name in events._EVENT_NAMES.items()])
def test_every_event_has_its_row_and_members(kind: type, name: str) -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |")]
    missing = [it.name for it in dataclasses.fields(kind) if f"`{it.name}`" not in row]
    assert set(missing) <= {"run_id"}


def test_every_initialization_option_has_its_row() -> None:
    code = inspect.getsource(on_initialize) + inspect.getsource(trusted_option)
    read = set(re.findall(r'(?:_option\(options, |members\[)"(\w+)"', code))
    rows = re.findall(r"^\| `(\w+): ", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(read)


def test_the_requests_of_the_test_view_are_there() -> None:
    others = ("waza/runEvent", "waza/document", "waza/liveVerdicts", AUDIT_CHANGED)
    for method in (testview.METHOD, testview.CHANGED, *others):
        assert f"## `{method}`" in PAGE


def test_the_guide_leads_there() -> None:
    assert "(protocol.md)" in RUNNING
