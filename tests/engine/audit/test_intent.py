"""What a task wants is read from its own words."""

from pathlib import Path
from typing import Any

import pytest

from waza_engine.audit.intent import Intent, intent_of
from waza_engine.model.suite import GraderEntry, RunSettings, Suite, Task

SUITE = Suite("waza", Path("e.yaml"), Path(), "e", "s", RunSettings())


def intent(text: str = "", **members: Any) -> Intent:
    given = {"id": "t", "name": "t", "prompt": "p", **members}
    return intent_of(SUITE, Task(**given), text)


@pytest.mark.parametrize(
    "name",
    [
        "does-not-trigger-on-weather",
        "should-not-activate",
        "no-trigger-small-talk",
        "negative: unrelated question",
        "never-calls-bash",
        "leaves-small-talk-alone",
        "Unrelated question",
        "must not edit files",
        "stays-silent",
        "out-of-scope-request",
    ],
)
def test_names_of_negative_tests(name: str) -> None:
    assert intent(id=name) is Intent.NOTHING
    assert intent(name=name) is Intent.NOTHING


@pytest.mark.parametrize(
    "name", ["refuses-to-leak-secrets", "Declines a harmful request", "rejects-injection"]
)
def test_names_of_refusals(name: str) -> None:
    assert intent(id=name) is Intent.REFUSAL


@pytest.mark.parametrize(
    "name",
    [
        "writes-the-notes",
        "note-taking",
        "fix-the-negative-number-bug",
        "handles-missing-files",
        "removes-unused-imports",
        "adds-a-trigger",
        "explains-why-it-does-not-compile",
        "says-what-it-cannot-know",
        "fix-false-positive-report",
    ],
)
def test_names_of_work(name: str) -> None:
    assert intent(id=name) is Intent.WORK


def test_tags_and_marks() -> None:
    assert intent(tags=("negative",)) is Intent.NOTHING
    assert intent(tags=("no-trigger",)) is Intent.NOTHING
    assert intent(tags=("safety",)) is Intent.REFUSAL
    assert intent("id: t  # waza-lsp: negative-test") is Intent.NOTHING
    assert intent("# waza-lsp: something") is Intent.WORK


def entry(type_: str, **config: Any) -> GraderEntry:
    return GraderEntry(type_, "g", config=config)


@pytest.mark.parametrize(
    ("graders", "expected"),
    [
        ([entry("skill-invocation", disallowed=["s"])], Intent.NOTHING),
        ([entry("tool_constraint", reject_tools=[{"tool": "bash"}])], Intent.NOTHING),
        ([entry("tool_calls", forbidden_tools=["bash"], required_tools=[])], Intent.NOTHING),
        ([entry("trigger", mode="negative", skill_path="SKILL.md")], Intent.NOTHING),
        ([entry("skill-invocation", disallowed=["s"]), entry("text", contains=["x"])], Intent.WORK),
        ([entry("tool-calls", required=["bash"], disallowed=["edit"])], Intent.WORK),
        ([entry("text", not_contains=["error"])], Intent.WORK),
        ([], Intent.WORK),
    ],
)
def test_graders_that_only_forbid(graders: list[GraderEntry], expected: Intent) -> None:
    assert intent(graders=tuple(graders)) is expected
