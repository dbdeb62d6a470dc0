"""Grader lists are read from YAML text as waza reads them (docs/reference/waza-graders.md, sections 2.1 and 13)."""

from typing import Any

import pytest

from waza_engine.graders.base import GradingContext
from waza_engine.grading.batch import grade_list, graders_from_yaml
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.model.trajectory import Session, SkillInvocation


def outcomes(text: str, context: GradingContext | None = None) -> list[str]:
    """One word for each entry: passed, failed or the kind of its error."""
    results = grade_list(graders_from_yaml(text), context or GradingContext(output="a"))["results"]
    return [
        it["error"]["kind"] if "error" in it else "passed" if it["passed"] else "failed" for it in results
    ]


def entry(config: str, kind: str = "text") -> str:
    return f"- {{type: {kind}, name: n, config: {config}}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- type: text\n  name: n\n  config:\n", "config"),
        ("- {type: text, name: n, config: }", "config"),
        ("- type: text\n  name: n\n  config: null\n", "passed"),
        ("- type: text\n  name: n\n  config: ~\n", "passed"),
        ("- type: text\n  name: n\n", "passed"),
        ("- type: text\n  name: n\n  config: {contains: }\n", "config"),
        ("- type: text\n  name: n\n  config: {contains, not_contains: [b]}\n", "config"),
        ("- type: text\n  name: n\n  config: {contains: '', not_contains: [b]}\n", "config"),
        ("- type: text\n  name: n\n  config: {contains: ~, not_contains: [b]}\n", "passed"),
        ("- type: text\n  name: n\n  config:\n    contains:\n", "passed"),
        ("- type: text\n  name: n\n  config:\n    contains: {}\n", "config"),
        (entry("{contains: [a], contains: [a]}"), "config"),
        (entry("{contains: [a], Contains: [a]}"), "config"),
        (entry("{contains: [[a]]}"), "config"),
        (entry("{contains: [{a: b}]}"), "config"),
        (entry("{contains: [a, ~, null, ]}"), "passed"),
        (entry("a"), "config"),
        (entry("{max_tool_calls: '1'}", "behavior"), "config"),
        (entry("{max_tool_calls: yes}", "behavior"), "config"),
        ("- {type: text, name: n, weight: }", "passed"),
        ("- {type: text, name: n, weight: true}", "config"),
        ("- {type: text, name: [n]}", "config"),
        ("- {type: text, name: 5}", "passed"),
        ("- {type: text, name: n, assertions: [a]}", "config"),
        ("- {type: text, name: n, rubric: r, model: m, script: s}", "passed"),
        ("- {type: regex, name: n}", "config"),
        ("- {name: n}", "config"),
        ("- {type: no_such, name: n, config: {a: 1}}", "config"),
        ("- text", "config"),
        ("- {type: prompt, config: {prompt: x}}", "config"),
    ],
)
def test_one_entry(text: str, expected: str) -> None:
    assert outcomes(text) == [expected]


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("off", 1),
        ("'off'", 1),
        ('"no"', 1),
        ("n", 1),
        ("False", 1),
        ("'y'", 2),
        ("On", 2),
        ("~", 2),
        ("0", None),
        ("1", None),
        ("'false'", None),
        ("nope", None),
    ],
)
def test_booleans(flag: str, expected: int | None) -> None:
    config = f"{{required_skills: [a], mode: any_order, allow_extra: {flag}}}"
    context = GradingContext(skills=[SkillInvocation(name="a"), SkillInvocation(name="b")])
    (result,) = grade_list(graders_from_yaml(entry(config, "skill_invocation")), context)["results"]
    if expected is None:
        assert result["error"]["kind"] == "config"
    else:
        assert result["details"]["allow_extra"] is (expected == 2)


@pytest.mark.parametrize(
    ("number", "limit"),
    [("1.9", 1), ("0o17", 15), ("017", 15), ("1_000", 1000), ("1e2", 100), ("0x10", 16), ("-1.5", -1)],
)
def test_integers(number: str, limit: int) -> None:
    (result,) = grade_list(
        graders_from_yaml(entry(f"{{max_tool_calls: {number}, required_tools: [a]}}", "behavior")),
        GradingContext(session=Session()),
    )["results"]
    assert result["details"]["max_tool_calls"] == limit


@pytest.mark.parametrize("number", ["1e30", "18446744073709551615", ".inf", ".nan", "2024-01-01"])
def test_numbers_that_are_not_integers(number: str) -> None:
    assert outcomes(entry(f"{{max_tool_calls: {number}}}", "behavior")) == ["config"]


def test_an_alias_for_a_whole_entry_works() -> None:
    text = (
        "- &e {type: text, name: n, config: {contains: &c [a], not_contains: [b]}}\n- *e\n- {<<: *e, name: m}"
    )
    assert outcomes(text) == ["passed", "passed", "passed"]


@pytest.mark.parametrize(
    "second",
    [
        "{type: text, name: m, config: *c}",
        "{type: text, name: m, config: {contains: *l}}",
        "{type: text, name: m, config: {<<: *c}}",
        "{type: text, name: m, config: {<<: [*c], not_contains: [b]}}",
        "{type: text, name: m, config: {contains: [*t]}}",
    ],
)
def test_only_the_entry_with_an_alias_out_of_its_config_is_refused(second: str) -> None:
    text = f"- {{type: text, name: n, config: &c {{contains: &l [&t a]}}}}\n- {second}"
    assert outcomes(text) == ["passed", "config"]


def test_an_alias_inside_its_own_config_works() -> None:
    assert outcomes(entry("{contains: &l [a], contains_cs: *l}")) == ["passed"]


def test_an_error_does_not_stop_the_others() -> None:
    text = (
        f"{entry('{contains: }')}\n- ~\n{entry('{contains: [a]}')}\n{entry('{contains: [a], contains: [b]}')}"
    )
    assert outcomes(text) == ["config", "passed", "config"]


@pytest.mark.parametrize("text", ["", "# nothing", "a: [", "- a\n\t- b", "text"])
def test_text_that_is_not_a_list_gives_one_error(text: str) -> None:
    assert outcomes(text) == ["config"]


def test_the_first_document_counts() -> None:
    assert outcomes(f"{entry('{contains: [a]}')}\n---\n[") == ["passed"]


def test_dates_in_an_inline_schema_are_strings() -> None:
    context = GradingContext(output='"2024-01-02T00:00:00Z"')
    assert outcomes(entry("{schema: {const: 2024-01-02}}", "json_schema"), context) == ["passed"]
    context = GradingContext(output='"2024-01-02T03:04:05.5Z"')
    assert outcomes(entry("{schema: {const: 2024-01-02T03:04:05.50Z}}", "json_schema"), context) == ["passed"]


def test_strings_are_the_source_as_written() -> None:
    context = GradingContext(output="1.50 0x1F yes 1e3 2024-01-01 ~5")
    assert outcomes(entry("{contains_cs: [1.50, 0x1F, yes, 1e3, 2024-01-01]}"), context) == ["passed"]


def _eval(graders: str) -> Any:
    return read_yaml(f"shared: &c {{contains: [a]}}\ngraders:\n{graders}", strict_graders=True)


def test_eval_files_are_read_by_the_same_rules() -> None:
    assert _eval("- {type: text, name: n, config: {contains: [a]}}")["graders"]
    for config in ("*c", "{contains: }", "{<<: *c}"):
        with pytest.raises(YamlError) as raised:
            _eval(f"- {{type: text, name: n, config: {config}}}")
        assert raised.value.line == 2


def test_a_refused_entry_is_reported_with_its_own_name_and_type() -> None:
    text = (
        "- {type: text, name: a, config: &x {contains: [a]}}\n- {type: file, name: b, config: *x}\n- &l [*l]"
    )
    results = grade_list(graders_from_yaml(text), GradingContext(output="a"))["results"]
    assert [(it["name"], it["type"], "error" in it) for it in results] == [
        ("a", "text", False),
        ("b", "file", True),
        ("", "", True),
    ]
