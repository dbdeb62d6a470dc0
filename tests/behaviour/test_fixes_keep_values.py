"""Fixes that keep what the author wrote: siblings' options, other words, types of the other format."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.fixes_harness import apply_edits, draft_of, findings_of
from tests.behaviour.harness import snapshot_of
from waza_engine.lib.yaml.reader import read_yaml as read_scalars
from waza_engine.lib.yaml.scalars import plain
from waza_lsp.fixes.fixes import apply_fixes, solutions

_VALLY = """
    name: notes
    scoring: {threshold: 1}
    stimuli:
      - name: a-stimulus
        prompt: Summarize the notes.
        graders:
          - ENTRY
"""
_WAZA = """
    name: notes-eval
    skill: notes
    config: {trials_per_task: 1, timeout_seconds: 60, executor: copilot-sdk, model: gpt-4o}
    tasks_from: rows.csv
    graders:
      - ENTRY
"""
_ABOUT_FILES = frozenset(["missing-dataset", "unknown-skill", "missing-file"])


def read_yaml(text: str) -> Any:
    return plain(read_scalars(text))


def _text(template: str, entry: str) -> str:
    return textwrap.dedent(template).removeprefix("\n").replace("ENTRY", entry)


def _entries(data: Any) -> list[Mapping[str, Any]]:
    found = data["stimuli"][0]["graders"] if "stimuli" in data else data["graders"]
    assert isinstance(found, list)
    return found


def _best(source: str) -> tuple[Any, bool]:
    """Return the data after the preferred fix of the only finding, and whether the fix is safe."""
    snapshot = snapshot_of(source, "eval.yaml")
    assert snapshot.form is not None
    found = [it for it in findings_of(snapshot) if it.finding.code not in _ABOUT_FILES]
    assert len(found) == 1, [it.finding.message for it in found]
    best = solutions(found[0], draft_of(snapshot), snapshot.form.schema)[0]
    assert best.preferred
    return read_yaml(str(apply_edits(snapshot.text, list(best.edits)))), best.safe


def _fixed(source: str) -> Any:
    snapshot = snapshot_of(source, "eval.yaml")
    assert snapshot.form is not None
    end, _ = apply_fixes(
        draft_of(snapshot),
        snapshot.form.schema,
        lambda it: findings_of(snapshot.with_text(it.text, it.tree)),
    )
    return read_yaml(str(end.text))


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        ("file-contains", {"path": "a.md", "substring": "x"}, {"path": "a.md", "value": "x"}),
        ("tool-calls", {"forbidden": ["bash"]}, {"disallowed": ["bash"]}),
        ("system-event", {"forbidden": ["compaction"]}, {"disallowed": ["compaction"]}),
        ("file-matches", {"path": "a.md", "regex": "x"}, {"path": "a.md", "pattern": "x"}),
        ("output-matches", {"regex": "a.*b"}, {"pattern": "a.*b"}),
        ("output-matches", {"substring": "x"}, {"pattern": "x"}),
        ("output-contains", {"text": "x"}, {"substring": "x"}),
        ("output-contains", {"pattern": "x"}, {"substring": "x"}),
        ("output-not-contains", {"contains": ["x"]}, {"substring": "x"}),
        ("file-exists", {"file": "a.md"}, {"path": "a.md"}),
        ("wall-time", {"maximum": "5m"}, {"max": "5m"}),
        ("token-budget", {"max_tokens": 500}, {"max": 500}),
        ("turn-count", {"limit": 5}, {"max": 5}),
        ("run-command", {"program": "ls"}, {"command": "ls"}),
        ("run-command", {"cmd": "ls", "args": ["-l"]}, {"command": "ls", "args": ["-l"]}),
        ("program", {"command": "ls"}, {"program": "ls"}),
        ("tool-calls", {"required": [{"tool": "bash"}]}, {"required": [{"name": "bash"}]}),
        ("tool-calls", {"sequence": [{"function": "bash"}]}, {"sequence": [{"name": "bash"}]}),
        ("skill-invocation", {"skills": ["notes"]}, {"required": ["notes"]}),
        ("skill-invocation", {"forbidden_skills": ["notes"]}, {"disallowed": ["notes"]}),
        ("prompt", {"rubric": "Is it short?"}, {"prompt": "Is it short?"}),
        ("run-command", {"command": "ls", "expectedExitCode": 1}, {"command": "ls", "expected_exit_code": 1}),
        ("run-command", {"command": "ls", "stdout-contains": "x"}, {"command": "ls", "stdout_contains": "x"}),
    ],
)
@pytest.mark.parametrize("style", ["flow", "block"])
def test_renames_in_specs(kind: str, wrong: dict[str, Any], right: dict[str, Any], style: str) -> None:
    data, _ = _best(_text(_VALLY, _entry(kind, wrong, style, indent=8)))
    assert _entries(data) == [{"type": kind, "config": right}]


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        ("text", {"substring": "x"}, {"contains": ["x"]}),
        ("text", {"regex": "x"}, {"regex_match": ["x"]}),
        ("text", {"regexMatch": ["x"]}, {"regex_match": ["x"]}),
        (
            "diff",
            {"files": [{"path": "a", "snapshot": "b"}]},
            {"expected_files": [{"path": "a", "snapshot": "b"}]},
        ),
        ("tool_calls", {"expect": [{"name": "bash"}]}, {"expect": [{"tool": "bash"}]}),
        ("code", {"checks": ["len(output) > 3"]}, {"assertions": ["len(output) > 3"]}),
        ("code", {"code": "len(output) > 3"}, {"assertions": ["len(output) > 3"]}),
    ],
)
@pytest.mark.parametrize("style", ["flow", "block"])
def test_renames_in_evals(kind: str, wrong: dict[str, Any], right: dict[str, Any], style: str) -> None:
    data, _ = _best(_text(_WAZA, _entry(kind, wrong, style, indent=4)))
    assert _entries(data) == [{"type": kind, "name": "g", "config": right}]


def _entry(kind: str, config: dict[str, Any], style: str, indent: int) -> str:
    name = ["name: g"] if indent == 4 else []
    if style == "flow":
        return f"{{{', '.join([f'type: {kind}', *name, f'config: {_flow(config)}'])}}}"
    lines = [f"type: {kind}", *name, "config:", *(f"  {key}: {_flow(it)}" for key, it in config.items())]
    return ("\n" + " " * indent).join(lines)


def _flow(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{key}: {_flow(it)}" for key, it in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case str():
            return f"'{value}'"
        case _:
            return str(value)


def test_a_pattern_that_becomes_a_text_is_no_safe_fix() -> None:
    _, is_safe = _best(_text(_VALLY, "{type: output-contains, config: {pattern: 'a.*b'}}"))
    assert not is_safe
    _, is_safe = _best(_text(_VALLY, "{type: output-contains, config: {pattern: ab}}"))
    assert is_safe


def test_a_word_of_no_type_is_no_safe_fix() -> None:
    """Whoever wrote `remark: ...` may have forgotten the option itself."""
    _, is_safe = _best(_text(_VALLY, "{type: output-matches, config: {remark: to do}}"))
    assert not is_safe


def test_ambiguous_options_are_one_finding_without_a_preferred_fix() -> None:
    snapshot = snapshot_of(_text(_WAZA, "{type: behavior, name: g, config: {maximum: 3}}"), "eval.yaml")
    assert snapshot.form is not None
    [found] = [it for it in findings_of(snapshot) if it.finding.code not in _ABOUT_FILES]
    titles = [(it.title, it.preferred) for it in solutions(found, draft_of(snapshot), snapshot.form.schema)]
    assert titles[:2] == [("Change to 'max_tool_calls'", False), ("Change to 'max_tokens'", False)]


def test_a_list_of_criteria_belongs_to_the_stimulus() -> None:
    data, _ = _best(_text(_VALLY, "{type: prompt, config: {model: gpt-4o, rubric: [Is it short?]}}"))
    assert _entries(data) == [{"type": "prompt", "config": {"model": "gpt-4o"}}]
    assert data["stimuli"][0]["rubric"] == ["Is it short?"]


def test_pairwise_becomes_prompt_with_its_criteria() -> None:
    data, is_safe = _best(
        _text(_VALLY, "{type: pairwise, config: {prompt: Which is shorter?, threshold: 0.6}}")
    )
    assert _entries(data) == [{"type": "prompt", "config": {"prompt": "Which is shorter?", "threshold": 0.6}}]
    assert not is_safe  # An absolute judgement is another question than a comparison.


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "{type: text, config: {contains: [a]}}",
            [{"type": "output-contains", "config": {"substring": "a"}}],
        ),
        (
            "{type: text, config: {contains: [a, b]}}",
            [
                {"type": "output-contains", "config": {"substring": "a"}},
                {"type": "output-contains", "config": {"substring": "b"}},
            ],
        ),
        (
            "{type: text, config: {contains: [a], regex_not_match: [b]}}",
            [
                {"type": "output-contains", "config": {"substring": "a"}},
                {"type": "output-not-matches", "config": {"pattern": "b"}},
            ],
        ),
        (
            "{type: text, config: {contains_cs: [a]}}",
            [{"type": "output-contains", "config": {"substring": "a", "case_sensitive": True}}],
        ),
        ("{type: file, config: {must_exist: [a.md]}}", [{"type": "file-exists", "config": {"path": "a.md"}}]),
        (
            "{type: behavior, config: {max_tool_calls: 4}}",
            [{"type": "tool-call-count", "config": {"max": 4}}],
        ),
        (
            "{type: skill_invocation, config: {required_skills: [notes]}}",
            [{"type": "skill-invocation", "config": {"required": ["notes"]}}],
        ),
        (
            "{type: tool_calls, config: {required_tools: [bash]}}",
            [{"type": "tool-calls", "config": {"required": ["bash"]}}],
        ),
    ],
)
def test_types_of_evals_in_specs(wrong: str, right: list[Any]) -> None:
    data, _ = _best(_text(_VALLY, wrong))
    assert _entries(data) == right


@pytest.mark.parametrize(
    ("wrong", "kind", "config"),
    [
        ("output-contains, config: {substring: a}", "text", {"contains": ["a"]}),
        ("output-not-contains, config: {value: a}", "text", {"not_contains": ["a"]}),
        ("output-matches, config: {pattern: a}", "text", {"regex_match": ["a"]}),
        ("file-exists, config: {path: a.md}", "file", {"must_exist": ["a.md"]}),
        ("skill-invocation, config: {disallowed: [a]}", "skill_invocation", {"forbidden_skills": ["a"]}),
        ("token-budget, config: {max: 5}", "behavior", {"max_tokens": 5}),
        ("run-command, config: {command: ls, args: [a]}", "program", {"command": "ls", "args": ["a"]}),
    ],
)
def test_types_of_specs_in_evals(wrong: str, kind: str, config: dict[str, Any]) -> None:
    data, _ = _best(_text(_WAZA, f"{{name: g, type: {wrong}}}"))
    assert _entries(data) == [{"name": "g", "type": kind, "config": config}]


def test_what_has_no_counterpart_stays() -> None:
    """A dropped `allow_extra: false` would weaken the check."""
    config = "{required_skills: [notes], allow_extra: false}"
    data, _ = _best(_text(_VALLY, f"{{type: skill_invocation, config: {config}}}"))
    assert _entries(data)[0]["config"] == {"required": ["notes"], "allow_extra": False}


@pytest.mark.parametrize(
    ("template", "wrong", "right"),
    [
        (_WAZA, "regexp, config: {regex_match: [a]}", {"type": "text", "config": {"regex_match": ["a"]}}),
        (_WAZA, "regexp, config: {must_match: [a]}", {"type": "text", "config": {"regex_match": ["a"]}}),
        (_WAZA, "keywords, config: {contains: [a]}", {"type": "text", "config": {"contains": ["a"]}}),
        (_WAZA, "tet, config: {contains: [a]}", {"type": "text", "config": {"contains": ["a"]}}),
        (
            _VALLY,
            "output-match, config: {pattern: a}",
            {"type": "output-matches", "config": {"pattern": "a"}},
        ),
        (_VALLY, "outputContains, config: {value: a}", {"type": "output-contains", "config": {"value": "a"}}),
    ],
)
def test_check_fix_mends_types_by_their_options(template: str, wrong: str, right: dict[str, Any]) -> None:
    [entry] = _entries(_fixed(_text(template, f"{{name: g, type: {wrong}}}")))
    assert entry == {"name": "g", **right}


@pytest.mark.parametrize(
    ("template", "entry"),
    [
        (_WAZA, "{name: g, type: regexx}"),
        (_WAZA, "{name: g, type: sentiment, config: {contains: [a]}}"),
        (_VALLY, "{type: file-contain, config: {path: a.md, pattern: b}}"),
        (_VALLY, "{type: my-check, config: {command: ls}}"),
        (_VALLY, "{type: pair-wise, config: {prompt: Which?}}"),
    ],
)
def test_check_fix_leaves_types_that_it_cannot_know(template: str, entry: str) -> None:
    source = _text(template, entry)
    assert _fixed(source) == read_yaml(source)


@pytest.mark.parametrize(
    "below", ["tasks_from: a.csv\n", "\ntasks_from: a.csv\n", "# next\ntasks_from: a.csv\n", "", None]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("style", ["block", "flow"])
def test_several_keys_are_added_wherever_the_block_ends(below: str | None, line_end: str, style: str) -> None:
    block = "config:\n  trials_per_task: 1\n  timeout_seconds: 60\n"
    flow = "config: {trials_per_task: 1, timeout_seconds: 60}\n"
    top = "name: notes-eval\nskill: notes\n" + ("" if below else "tasks_from: a.csv\n")
    source = top + (block if style == "block" else flow) + (below or "")
    if below is None:
        source = source.removesuffix("\n")
    snapshot = snapshot_of(source.replace("\n", line_end), "eval.yaml")
    assert snapshot.form is not None
    [found] = [it for it in findings_of(snapshot) if it.finding.code == "missing-key"]
    [best, *_] = solutions(found, draft_of(snapshot), snapshot.form.schema)
    after = str(apply_edits(snapshot.text, list(best.edits)))
    assert set(read_yaml(after)["config"]) == {"trials_per_task", "timeout_seconds", "executor", "model"}
    assert read_yaml(after)["tasks_from"] == "a.csv"


def test_comments_of_a_renamed_option_stay(tmp_path: Path) -> None:
    source = _text(
        _VALLY, "type: file-contains\n        config:\n          path: a\n          substring: b  # why"
    )
    snapshot = snapshot_of(source, "eval.yaml", tmp_path)
    assert snapshot.form is not None
    end, _ = apply_fixes(
        draft_of(snapshot), snapshot.form.schema, lambda it: findings_of(snapshot.with_text(it.text, it.tree))
    )
    assert "          value: b  # why\n" in str(end.text)


@pytest.mark.parametrize(
    ("pattern", "fixed"),
    [
        ("foo(?i)bar", "(?i)foobar"),
        ("foo(?is)bar|(?m)x", "(?ism)foobar|x"),
        (" (?i)ä", "(?i) ä"),
    ],
)
def test_flags_move_to_the_front(pattern: str, fixed: str) -> None:
    data, _ = _best(_text(_VALLY, f"{{type: output-matches, config: {{pattern: '{pattern}'}}}}"))
    assert _entries(data)[0]["config"] == {"pattern": fixed}
