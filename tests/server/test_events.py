"""The bus of a session, and the table in `docs/architecture.md` of who tells what to whom."""

import ast
import inspect
from pathlib import Path

import pytest

from waza_lsp.server import events
from waza_lsp.server.build import build_session
from waza_lsp.server.events import Bus, HintsChanged, LensesChanged

REPOSITORY = Path(__file__).parents[2]
SERVER = REPOSITORY / "waza_lsp" / "server"
_HEAD = "| Event | Published by | Heard by |\n| --- | --- | --- |\n"


def test_an_event_reaches_those_who_listen_to_its_type_in_their_order() -> None:
    bus, heard = Bus(), list[str]()
    bus.listen(LensesChanged, lambda _: heard.append("first"))
    bus.listen(LensesChanged, lambda _: heard.append("second"))
    bus.listen(HintsChanged, lambda _: heard.append("other"))
    bus.publish(LensesChanged())
    assert heard == ["first", "second"]


def test_an_event_may_be_published_by_a_listener() -> None:
    bus, heard = Bus(), list[str]()
    bus.listen(LensesChanged, lambda _: bus.publish(HintsChanged()))
    bus.listen(HintsChanged, lambda _: heard.append("hints"))
    bus.publish(LensesChanged())
    assert heard == ["hints"]


def test_the_manual_has_the_table_of_all_events() -> None:
    table = _table()
    manual = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    if table not in manual:
        pytest.fail(f"docs/architecture.md should have this table:\n\n{table}")


def _table() -> str:
    """Return the table, from the sources and from the parts of a session."""
    publishers, listeners = _publishers(), _listeners()
    kinds = [name for name, kind in vars(events).items() if inspect.isclass(kind) and name in listeners]
    assert publishers.keys() == listeners.keys(), "each event has somebody who publishes it, and a listener"
    rows = (f"| `{it}` | {_names(publishers[it])} | {_names(listeners[it])} |\n" for it in kinds)
    return _HEAD + "".join(rows)


def _names(found: set[str]) -> str:
    return ", ".join(f"`{it}`" for it in sorted(found))


def _listeners() -> dict[str, set[str]]:
    """Return the classes that listen to each event."""
    bus = build_session().bus
    kinds = {name: kind for name, kind in vars(events).items() if inspect.isclass(kind)}
    return {
        name: {it.__qualname__.partition(".")[0] for it in bus.listeners(kind)}
        for name, kind in kinds.items()
        if kind.__module__ == events.__name__ and kind is not Bus
    }


def _publishers() -> dict[str, set[str]]:
    """Return the classes, or else the files, in which each event is made to be published."""
    found: dict[str, set[str]] = {}
    for path in SERVER.rglob("*.py"):
        for part in ast.parse(path.read_text("utf-8")).body:
            name = part.name if isinstance(part, ast.ClassDef) else f"server/{path.relative_to(SERVER)}"
            for call in (it for it in ast.walk(part) if isinstance(it, ast.Call)):
                if isinstance(call.func, ast.Attribute) and call.func.attr == "publish":
                    found.setdefault(_type(call), set()).add(name)
    return found


def _type(publishing: ast.Call) -> str:
    """Return the type of an event, which must be made where it is published."""
    [event] = publishing.args
    assert isinstance(event, ast.Call)
    assert isinstance(event.func, ast.Name)
    return event.func.id
