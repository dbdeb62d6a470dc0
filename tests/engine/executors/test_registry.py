"""Tests that executors are discovered, and that an unknown name gets suggestions."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from waza_engine.executors import registry
from waza_engine.executors.base import ExecutorOptions, UnavailableError
from waza_engine.executors.mock import MockExecutor
from waza_engine.executors.registry import built_in_executors, make_executor

OPTIONS = ExecutorOptions(Path())


def test_the_folder_is_the_list() -> None:
    assert set(built_in_executors()) >= {"mock", "replay"}
    assert isinstance(make_executor("mock", OPTIONS), MockExecutor)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "does not set an executor"),
        ("magic", "nknown executor 'magic'"),
        ("codex", "--executor command --agent-command 'codex exec "),
    ],
)
def test_an_unknown_name_gets_suggestions(name: str, message: str) -> None:
    with pytest.raises(UnavailableError, match=message) as error:
        make_executor(name, OPTIONS)
    assert "mock" in str(error.value)
    assert "replay" in str(error.value)


def test_plug_ins_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    good = EntryPoint("plugged", "waza_engine.executors.mock:MockExecutor", "waza_lsp.executors")
    broken = EntryPoint("broken", "waza_engine.no_such_module:Thing", "waza_lsp.executors")
    monkeypatch.setattr(registry, "_plug_ins", lambda: {"plugged": good, "broken": broken})
    assert isinstance(make_executor("plugged", OPTIONS), MockExecutor)
    with pytest.raises(UnavailableError, match="cannot be loaded"):
        make_executor("broken", OPTIONS)
    assert "broken" in registry.executor_names()
