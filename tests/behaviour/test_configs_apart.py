"""waza parses the config of each grader separately from its file. What gets lost is reported, as in a run."""

from pathlib import Path

import pytest

from tests.behaviour.as_runs_harness import errors, is_refused
from tests.behaviour.fixes_harness import check_fix
from tests.behaviour.rules_harness import EVAL, TASK, findings_at, write

FIRST = "  - {type: text, name: a, config: &x {contains: &y [a]}}\n"
IN_LINES = "  - type: text\n    name: b\n    config:\n      "
VALLY = "name: v\nstimuli:\n  - name: a\n    prompt: hi\n    graders: [{type: output-contains, config: {substring: a, negate: }}]\n"


@pytest.mark.parametrize(
    ("graders", "underlined"),
    [
        (FIRST + "  - {type: text, name: b, config: *x}\n", ["*x"]),
        (FIRST + "  - {type: text, name: b, config: {contains: *y}}\n", ["*y"]),
        (FIRST + "  - {type: text, name: b, config: {contains: *y, not_contains: *y}}\n", ["*y", "*y"]),
        (FIRST + IN_LINES + "<<: *x\n", ["*x"]),
        (FIRST + IN_LINES + "not_contains:\n      - z\n      contains: *y\n", ["*y"]),
        (FIRST + "  - {name: b, <<: {type: text, config: *x}}\n", ["*x"]),
        ("  - {type: text, name: a, config: {contains: [a], regex_match: }}\n", ["regex_match"]),
        ("  - {type: text, name: a, config: {contains: [a], regex_match}}\n", ["regex_match"]),
        ("  - {type: text, name: a, config: {not_contains: [a], ? contains}}\n", ["contains"]),
        (
            "  - {type: file, name: a, config: {content_patterns: [{path: a, must_match: }]}}\n",
            ["must_match"],
        ),
        # What is in order where it stands.
        (FIRST + "  - {type: text, name: &n b, config: {contains: [b]}}\n", []),
        ("  - &e {type: text, name: a, config: {contains: [a]}}\n  - *e\n", []),
        ("  - {type: text, name: a, config: {contains: &z [a], contains_cs: *z}}\n" * 2, []),
        ("  - {type: text, name: a, config: {contains: [&s a, *s]}}\n", []),
        (IN_LINES + "contains: [a]\n      regex_match:\n", []),
        ("  - {type: text, name: a, config: {contains: [a], regex_match: ~, not_contains: ['']}}\n", []),
        ("  - {type: text, name: a, weight: , config: {contains: [a]}}\n", []),
        (
            IN_LINES + "&c\n      contains: [a]\n  - {<<: {type: text, name: d}, config: {contains: [a]}}\n",
            [],
        ),
    ],
)
@pytest.mark.parametrize("is_task", [False, True])
def test_what_a_run_refuses_is_an_error(
    graders: str, underlined: list[str], is_task: bool, tmp_path: Path
) -> None:
    graders = "graders:\n" + graders
    texts = (EVAL, TASK + graders) if is_task else (EVAL + graders, TASK)
    files = dict(zip(("eval.yaml", "tasks/a.yaml"), texts, strict=True))
    write(tmp_path, files)
    name = "tasks/a.yaml" if is_task else "eval.yaml"
    told = [it for it in findings_at(tmp_path / name, tmp_path) if it.code == "unreadable-config"]
    assert [it.underlined for it in told] == underlined
    assert is_refused(tmp_path) is bool(underlined), errors(tmp_path, name)


def test_an_entry_with_merged_config_is_reported_at_its_merge_key(tmp_path: Path) -> None:
    text = "x-base: &b\n  config: {contains: [a], regex_match: }\n" + EVAL
    write(
        tmp_path, {"eval.yaml": text + "graders:\n  - {type: text, name: a, <<: *b}\n", "tasks/a.yaml": TASK}
    )
    told = [it for it in findings_at(tmp_path / "eval.yaml", tmp_path) if it.code == "unreadable-config"]
    assert [it.underlined for it in told] == ["<<"]
    assert is_refused(tmp_path)


def test_an_eval_in_braces_is_read_so_too(tmp_path: Path) -> None:
    text = "{name: a, skill: a, tasks: [a], config: {trials_per_task: 1, timeout_seconds: 9, executor: mock, model: m},\n graders: [{type: text, name: a, config: {contains: [a], regex_match: }}]}\n"
    write(tmp_path, {"eval.yaml": text, "a": TASK})
    assert errors(tmp_path, "eval.yaml") == ["regex_match"]


def test_other_dialects_read_a_file_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": VALLY})
    assert "unreadable-config" not in [it.code for it in findings_at(tmp_path / "eval.yaml", tmp_path)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "  - {type: text, name: a, config: {contains: [a], regex_ma¦tch: }}\n",
            "  - {type: text, name: a, config: {contains: [a], regex_match: null}}\n",
        ),
        (
            "  - {type: text, name: a, config: {contains: [a], regex_ma¦tch}}\n",
            "  - {type: text, name: a, config: {contains: [a], regex_match: null}}\n",
        ),
        (
            FIRST + "  - {type: text, name: b, config: {contains: *¦y}}\n",
            FIRST + "  - {type: text, name: b, config: {contains: [a]}}\n",
        ),
        (
            FIRST + "  - type: text\n    name: b\n    config: *¦x\n",
            FIRST + IN_LINES + "contains: [a]\n",
        ),
    ],
)
def test_a_fix_writes_what_is_meant(before: str, after: str) -> None:
    check_fix(EVAL + "graders:\n" + before, EVAL + "graders:\n" + after)
