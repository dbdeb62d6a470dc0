"""From entries to the verdict on a run (docs/reference/waza-graders.md, sections 2.1 to 2.5), and plug-ins."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from waza_engine.analysis.grader_entries import check_entry
from waza_engine.dialects.waza.graders.text import TextGrader
from waza_engine.graders import registry
from waza_engine.graders.base import ConfigError, Grader, GraderResult, GradingContext
from waza_engine.graders.result import GraderFailure, GraderVerdict
from waza_engine.grading.grade import build, grade_entry, grade_run
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.findings import Finding, Scope
from waza_engine.model.suite import GraderEntry
from waza_engine.model.trajectory import Session
from waza_engine.plugins import GRADER_GROUP
from waza_engine.rules.out_of_range import OUT_OF_RANGE

_CONTEXT = GradingContext(output="hello world", process_dir=Path("/nowhere"))


def text(name: str, *wanted: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "name": name, "config": {"contains": list(wanted)}, **more}


def test_a_later_result_of_the_same_name_replaces_the_earlier_one() -> None:
    verdict = grade_run([text("a", "zzz", weight=9)], [text("a", "hello")], {}, _CONTEXT)
    assert (verdict.status, verdict.score, verdict.weighted_score) == ("passed", 1.0, 1.0)
    assert list(verdict.results) == ["a"]


def test_the_first_error_ends_the_run_without_results() -> None:
    verdict = grade_run([text("a", "hello"), {"type": "nope", "name": "b"}], [text("c")], {}, _CONTEXT)
    assert (verdict.status, verdict.score, dict(verdict.results)) == ("error", 0.0, {})
    assert verdict.error is not None
    assert (verdict.error.name, verdict.error.kind) == ("b", "config")


def test_weights_that_are_not_positive_count_as_one() -> None:
    entries = [text("a", "hello", weight=it) for it in (0, -3)] + [text("b", "zzz", weight=2)]
    verdict = grade_run(entries, [], {}, _CONTEXT)
    assert verdict.weighted_score == pytest.approx(1 / 3)
    assert verdict.score == 0.5


def test_expectations_come_last_and_only_when_listed() -> None:
    expected = {
        "output_contains": ["HELLO", ""],
        "output_not_contains": ["world", "x"],
        "output_contains_any": ["x", "World"],
    }
    verdict = grade_run([text("_output_contains", "zzz")], [], expected, _CONTEXT)
    scores = {name: (it.result.score, it.result.passed, it.type) for name, it in verdict.results.items()}
    assert scores == {
        "_output_contains": (1.0, True, ""),
        "_output_not_contains": (0.5, False, ""),
        "_output_contains_any": (1.0, True, ""),
    }
    assert not grade_run([], [], {"output_contains": []}, _CONTEXT).results


def test_no_graders_pass_with_score_0() -> None:
    verdict = grade_run([], [], {}, _CONTEXT)
    assert (verdict.status, verdict.score) == ("passed", 0.0)


def test_an_error_of_the_agent_decides_the_status() -> None:
    verdict = grade_run([text("a", "hello")], [], {}, _CONTEXT, agent_error="lost connection")
    assert verdict.status == "error"
    assert verdict.results["a"].result.passed


def test_loaded_entries_are_graded_like_raw_ones() -> None:
    entry = GraderEntry(
        "text", "a", 2.0, {"contains": ["hello", Scalar("1e3", 1000.0)]}, {"rubric": "unused"}
    )
    graded = grade_entry(entry, _CONTEXT)
    assert isinstance(graded, GraderVerdict)
    assert (graded.weight, graded.result.score) == (2.0, 0.5)


def test_what_may_stand_beside_config_depends_on_the_level() -> None:
    assert build(text("a", "x", assertions=["True"]), level="task").name == "a"
    assert build(text("a", "x", model="m", script="s"), level="eval").name == "a"
    for level, key in (("task", "model"), ("task", "script"), ("eval", "assertions")):
        with pytest.raises(ConfigError, match=f"{key}: unknown key"):
            build(text("a", "x", **{key: "m"}), level=level)  # type: ignore[arg-type]  # the loop's texts are levels


def test_files_of_the_newest_version_may_have_unknown_keys_that_resemble_none() -> None:
    assert build(text("a", "x", owner="me"), "waza").name == "a"
    for key in ("wieght", "not_contains"):
        with pytest.raises(ConfigError, match=f"{key}: Unknown key"):
            build(text("a", "x", **{key: ["m"]}), "waza")


def test_a_file_that_a_grader_needs_is_a_config_error() -> None:
    entry = {"type": "trigger", "name": "t", "config": {"skill_path": "s", "mode": "positive"}}
    graded = grade_entry(entry, _CONTEXT)
    assert isinstance(graded, GraderFailure)
    assert graded.kind == "config"


def test_generations() -> None:
    assert build({"type": "regex", "name": "r"}, "G1").type == "regex"
    with pytest.raises(ConfigError, match="Unknown grader type"):
        build({"type": "regex", "name": "r"})
    with pytest.raises(ConfigError, match="Unknown grader type"):
        build({"type": "text", "name": "r"}, "PY")


@pytest.mark.parametrize(
    ("config", "score"),
    [
        ({"MUST_MATCH": ["hello", None], "ignored": 1}, 1.0),
        ({"must_match": ["Hello"], "must_not_match": ["["]}, 0.0),
        ({"must_match": None}, 1.0),
        ({"must_match": ["hello", Scalar("5", 5)]}, None),
        ({"must_match": [5]}, None),
        ({"must_match": "hello"}, None),
    ],
)
def test_the_first_go_generation_decodes_its_own_way(config: dict[str, Any], score: float | None) -> None:
    graded = grade_entry({"type": "regex", "name": "r", "config": config, "unknown": 1}, _CONTEXT, "G1")
    assert (graded.result.score if isinstance(graded, GraderVerdict) else None) == score


_UNKNOWN = [
    {"type": "text", "config": {"contains": ["hello"], "bogus": 1}},
    {"type": "text", "bogus": 1, "config": {"contains": ["hello"]}},
    {"type": "tool_calls", "config": {"expect": [{"tool": "bash", "bogus": 1}]}},
]


@pytest.mark.parametrize("entry", _UNKNOWN)
@pytest.mark.parametrize("generation", ["G2+G3", "G3", "G1"])
def test_the_first_generation_ignores_unknown_keys_and_the_newest_only_those_beside_the_type(
    entry: dict[str, Any], generation: str
) -> None:
    is_refused = generation == "G2+G3" or (generation == "G3" and "bogus" not in entry)
    assert isinstance(grade_entry(entry, _CONTEXT, generation), GraderFailure) is is_refused


@pytest.mark.parametrize(
    "matcher", [{"starts": "a"}, {"regex": "a", "starts": "a"}, {"range": {"gte": 1, "above": 0}}]
)
def test_matchers_are_strict_in_the_newest_generation_too(matcher: dict[str, Any]) -> None:
    entry = {"type": "tool_calls", "config": {"expect": [{"tool": "a", "args": {"p": matcher}}]}}
    for generation in ("G2+G3", "G3"):
        graded = grade_entry(entry, _CONTEXT, generation)
        assert isinstance(graded, GraderFailure)
        assert graded.kind == "config"


@pytest.mark.parametrize(
    ("type_name", "config", "passed"),
    [
        ("text", {"CONTAINS": ["nope"], "Contains_CS": ["hello"]}, False),
        ("text", {"CONTAINS": ["nope"], "contains": ["hello"]}, True),
        ("file", {"Content_Patterns": [{"PATH": "x", "Must_Match": ["a"]}]}, False),
        ("json_schema", {"SCHEMA": {"required": ["A"]}}, False),
        ("behavior", {"MAX_TOOL_CALLS": 1}, True),
    ],
)
def test_the_case_of_keys_did_not_matter_to_the_first_go_generation(
    type_name: str, config: dict[str, Any], passed: bool
) -> None:
    context = replace(_CONTEXT, session=Session(tool_call_count=1))
    graded = grade_entry({"type": type_name, "name": "n", "config": config}, context, "G1")
    assert isinstance(graded, GraderVerdict)
    assert graded.result.passed is passed


@pytest.mark.parametrize(("generation", "names"), [("G2+G3", ["_output_contains"]), ("G1", []), ("PY", [])])
def test_older_generations_had_no_expectations_on_the_output(generation: str, names: list[str]) -> None:
    verdict = grade_run([], [], {"output_contains": ["q"]}, _CONTEXT, generation)
    assert list(verdict.results) == names


def test_grading_does_not_run_the_checks_of_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_: TextGrader, scope: Scope) -> Iterator[Finding]:
        raise AssertionError(scope)

    entry = {"type": "text", "name": "t", "config": {"contains": ["hey", ""]}}
    assert [it.code for it in check_entry("waza", entry, Scope())] == ["trivial-check"]
    monkeypatch.setattr(TextGrader, "check", check)
    graded = grade_entry(entry, GradingContext(output="hey"))
    assert isinstance(graded, GraderVerdict)
    assert graded.result.passed


class Shout(Grader):
    """A grader as a plug-in brings it."""

    type_name = "shout"
    least: int = 1

    def check(self, scope: Scope) -> Iterator[Finding]:
        """As plug-ins for 1.0 have it: there was no `refusals`."""
        if self.least > 9:
            yield OUT_OF_RANGE.at(("least",), "Nobody shouts so long", refused=True)
        elif self.least > 5:
            yield OUT_OF_RANGE.at(("least",), "This is long")

    def grade(self, context: GradingContext) -> GraderResult:
        return GraderResult(1.0, context.output.isupper())


def test_a_plug_in_adds_a_type_and_a_broken_one_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    group = GRADER_GROUP
    points = [
        EntryPoint("shout", f"{__name__}:Shout", group),
        EntryPoint("gone", "no_such_module:Thing", group),
        EntryPoint("none", "pathlib:Path", group),
        EntryPoint("taken", "waza_engine.dialects.waza.graders.text:TextGrader", group),
    ]
    monkeypatch.setattr(EntryPoint, "load", lambda self: Shout if self.name == "shout" else _load(self))
    monkeypatch.setattr(registry, "plugin_entry_points", lambda _group: points)
    registry.graders.cache_clear()
    registry.current_grader.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            graded = grade_entry({"type": "shout", "name": "s"}, GradingContext(output="HEY"))
        assert isinstance(graded, GraderVerdict)
        assert graded.result.passed
        long, too_long = ({"type": "shout", "name": "s", "config": {"least": it}} for it in (6, 10))
        assert isinstance(grade_entry(long, GradingContext()), GraderVerdict)
        refused = grade_entry(too_long, GradingContext())
        assert isinstance(refused, GraderFailure)
        assert (refused.kind, refused.message) == ("config", "Nobody shouts so long")
        for entry in (long, too_long):
            assert [it.pointer for it in check_entry("waza", entry, Scope())] == [("config", "least")]
        assert [it.args[0] for it in caplog.records if isinstance(it.args, tuple)] == [
            "gone",
            "none",
            "taken",
        ]
    finally:
        registry.graders.cache_clear()
        registry.current_grader.cache_clear()


_load = EntryPoint.load
