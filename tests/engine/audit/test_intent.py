"""What a task wants is read from its own words."""

from pathlib import Path
from typing import Any

import pytest

from waza_engine.audit.intent import Intent, intent_of
from waza_engine.model.suite import GraderEntry, RunSettings, Suite, Task

SUITE = Suite("waza", Path("e.yaml"), Path(), "e", "s", RunSettings())


def intent(**members: Any) -> Intent:
    given = {"id": "t", "name": "t", "prompt": "p", **members}
    return intent_of(SUITE, Task(**given))


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
        "Negative case 3",
        "asks-before-deleting",
        "confirm-first",
        "nothing-to-correct",
        "file is already formatted",
    ],
)
def test_names_of_negative_tests(name: str) -> None:
    assert intent(id=name) is Intent.NOTHING
    assert intent(name=name) is Intent.NOTHING


@pytest.mark.parametrize(
    "name",
    [
        "refuses-to-leak-secrets",
        "Declines a harmful request",
        "rejects-injection",
        "says-what-it-cannot-know",
    ],
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
        "fix-false-positive-report",
        "detect-declined-payments",
        "comment-worker-pool",
    ],
)
def test_names_of_work(name: str) -> None:
    assert intent(id=name) is Intent.WORK


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("reject-invalid-input", "Make the parser reject invalid minutes."),
        ("out-of-scope-variable", "The sum seems to be out of scope. Fix it."),
        ("write-negative-tests", "Write negative tests for the login."),
        ("must-not-touch-the-lock-file", "Add lodash. Don't touch the lock file."),
        ("Comment the pool without changing it", "Comment pool.go. Not one line may change."),
    ],
)
def test_words_that_the_user_says_too_describe_the_work(name: str, prompt: str) -> None:
    assert intent(id=name, prompt=prompt) is Intent.WORK
    assert intent(id=name, prompt="Tell me a joke.") is not Intent.WORK


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Remove duplicates. If there are none, do nothing.", Intent.NOTHING),
        ("Format a.py. If it is formatted, leave it as it is.", Intent.NOTHING),
        ("I think aloud. Do not answer.", Intent.NOTHING),
        ("Rename it, and change nothing else.", Intent.WORK),
        ("Answer the mail. Do not answer the chat.", Intent.WORK),
        ("If the build fails, fix it.", Intent.WORK),
    ],
)
def test_prompts_that_allow_to_do_nothing(prompt: str, expected: Intent) -> None:
    assert intent(prompt=prompt) is expected


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("The agent must decline, the table has medical records.", Intent.REFUSAL),
        ("Negative test: about databases.", Intent.NOTHING),
        ("The skill should not be triggered by this.", Intent.NOTHING),
        ("The agent should ask back instead of guessing.", Intent.NOTHING),
        ("The idea is easy; exceptions that are not retried are what readers miss.", Intent.WORK),
        ("The agent must not change anything else.", Intent.WORK),
    ],
)
def test_descriptions_and_rubrics(description: str, expected: Intent) -> None:
    assert intent(description=description) is expected
    assert intent(rubric=(description,)) is expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("negative", Intent.NOTHING),
        ("no-trigger", Intent.NOTHING),
        ("kind=anti-trigger", Intent.NOTHING),
        ("safety", Intent.REFUSAL),
        ("must-refuse", Intent.REFUSAL),
        ("negative=true", Intent.NOTHING),
        ("true-negatives", Intent.NOTHING),
        ("negative=false", Intent.WORK),
        ("semantics", Intent.WORK),
        ("thread-safety", Intent.WORK),
        ("sql-injection", Intent.WORK),
        ("no-downtime", Intent.WORK),
        ("negative-numbers", Intent.WORK),
    ],
)
def test_tags(tag: str, expected: Intent) -> None:
    assert intent(tags=(tag,)) is expected


def test_a_tag_for_safety_does_not_outweigh_what_the_graders_demand() -> None:
    demand = GraderEntry("file", "g", config={"must_exist": ["rm.py"]})
    assert intent(tags=("safety",), graders=(demand,)) is Intent.WORK


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
        ([entry("skill-invocation", disallowed=["s"]), entry("completed")], Intent.NOTHING),
        ([entry("skill-invocation", disallowed=["s"]), entry("turn-count", max=9)], Intent.NOTHING),
        ([entry("diff-empty")], Intent.NOTHING),
        ([entry("tool-call-count", max=0)], Intent.NOTHING),
        ([entry("tool-call-count", max=20)], Intent.WORK),
        ([entry("file-not-exists", path="a.txt")], Intent.WORK),
        ([], Intent.WORK),
    ],
)
def test_graders_that_only_forbid(graders: list[GraderEntry], expected: Intent) -> None:
    assert intent(graders=tuple(graders)) is expected


def test_a_limit_that_the_user_sets_as_well_makes_no_negative_test() -> None:
    forbids = entry("tool_calls", forbidden_tools=["edit", "create"])
    assert intent(graders=(forbids,), prompt="Review a.py.") is Intent.NOTHING
    assert intent(graders=(forbids,), prompt="Review a.py. Don't edit it.") is Intent.WORK
    assert intent(graders=(forbids,), prompt="Edit it, and do not ask.") is Intent.NOTHING


def test_names_of_files_and_folders_count_where_a_task_has_its_own() -> None:
    assert intent(path=Path("tasks/should-not-trigger.yaml")) is Intent.NOTHING
    assert intent(path=Path("tasks/negatives/weather.yaml")) is Intent.NOTHING
    assert intent(path=Path("tasks/weather.yaml")) is Intent.WORK
    assert intent(path=Path("negatives/e.yaml"), pointer=("stimuli", 0)) is Intent.WORK
