"""What vally's versions do with a key or value: findings at several targets, from the dated table."""

from pathlib import Path

import pytest

from tests.behaviour.fixes_harness import check_fix, draft_of, findings_of
from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext, check_file
from waza_lsp.features.diagnostics import findings
from waza_lsp.fixes.fixes import apply_fixes

STIMULUS = """\
stimuli:
  - name: writes-notes
    prompt: Summarise the meeting.
    graders:
      - type: completed
"""
EXPERIMENT = """\
name: x
evals: [a.eval.yaml]
vary: [/defaults/model]
baseline: a
variants: {a: {}, b: {overrides: {model: gpt-5.2}}}
"""


def _seen(text: str, target: str, name: str = "eval.yaml") -> list[tuple[str, str, str]]:
    snapshot = snapshot_of(text, name)
    marks = findings(snapshot, CheckContext(snapshot.path, target=target))
    return [
        (snapshot.text.slice(it.span), it.finding.code, str(it.finding.severity))
        for it in marks
        if it.finding.code != "unmatched-evals"
    ]


NEWER = "newer-than-target"


@pytest.mark.parametrize(
    ("text", "target", "found"),
    [
        ("defaults: {reasoning_effort: high}\n" + STIMULUS, "0.10", [("reasoning_effort", NEWER, "warning")]),
        ("defaults: {reasoning_effort: high}\n" + STIMULUS, "0.11", []),
        (
            "defaults: {judge_provider: {type: openai}}\n" + STIMULUS,
            "0.13",
            [("judge_provider", NEWER, "warning")],
        ),
        ("defaults: {judge_provider: {type: openai}}\n" + STIMULUS, "", []),
        ("scoring: {timeout: 2m}\n" + STIMULUS, "0.18", [("timeout", NEWER, "warning")]),
        ("scoring: {timeout: 2m}\n" + STIMULUS, "0.19", []),
        ("scoring: {timeout: 300}\n" + STIMULUS, "", [("300", "bad-format", "error")]),
        (STIMULUS + "    golden_command: npm run fix\n", "0.16", [("golden_command", NEWER, "warning")]),
        (STIMULUS + "    attachments: [a.png]\n", "0.10", [("attachments", NEWER, "warning")]),
        (STIMULUS + "    simulation: {tool_overrides: {}}\n", "", []),
        ("config: {runs: 1}\n" + STIMULUS, "0.5", []),
        ("config: {runs: 1}\n" + STIMULUS, "0.14", [("config", "legacy-shape", "information")]),
        ("config: {runs: 1}\n" + STIMULUS, "0.15", [("config", "legacy-shape", "warning")]),
        ("defaults: {executor: }\n" + STIMULUS, "0.13", []),
        ("defaults: {executor: ''}\n" + STIMULUS, "0.14", [("''", "removed-form", "error")]),
        ("defaults:\n  executor:\n" + STIMULUS, "", [("executor", "removed-form", "error")]),
        ("defaults: {executor: {name: mock}}\n" + STIMULUS, "0.12", [("{name: mock}", NEWER, "error")]),
        ("defaults: {executor: {name: mock}}\n" + STIMULUS, "0.13", []),
        (STIMULUS + "    timeout: 5m\n", "0.16", [("timeout", "unknown-key", "warning")]),
        (STIMULUS + "    timeout: 5m\n", "0.17", [("timeout", "unknown-key", "error")]),
        (STIMULUS + "    expect_activation: true\n", "0.16", [("expect_activation", "unknown-key", "hint")]),
        (STIMULUS + "    expect_activation: true\n", "0.99", [("expect_activation", "unknown-key", "error")]),
        (STIMULUS + "        name: Has Notes\n", "0.15", []),
        (STIMULUS + "        name: Has Notes\n", "0.16", [("Has Notes", "bad-grader-name", "error")]),
        (STIMULUS + f"        name: {'a' * 60}\n", "", []),
        (STIMULUS + f"        name: {'a' * 61}\n", "", [("a" * 61, "bad-grader-name", "error")]),
        (STIMULUS + "        name: à-b\n", "", [("à-b", "bad-grader-name", "warning")]),
        (STIMULUS + "        name: ${NAME}\n", "", []),
        (
            STIMULUS + "        name: a\n      - {type: exit-success, name: a}\n",
            "",
            [("a", "bad-grader-name", "error")],
        ),
        (
            "environment: {git: {type: worktree, source: ., depth: 1}}\n" + STIMULUS,
            "0.11",
            [("depth", "unknown-key", "warning")],
        ),
        (
            "environment: {git: {type: worktree, source: ., depth: 1}}\n" + STIMULUS,
            "",
            [("depth", "unknown-key", "error")],
        ),
        (
            STIMULUS.replace("type: completed", "type: diff-empty\n        turn: 0"),
            "0.11",
            [("turn", NEWER, "error")],
        ),
    ],
)
def test_specs(text: str, target: str, found: list[tuple[str, str, str]]) -> None:
    assert [it for it in _seen(text, target) if it[1] != "turn-out-of-range"] == found


@pytest.mark.parametrize(
    ("text", "target", "found"),
    [
        (EXPERIMENT + "filter: {tier: ci}\n", "0.17", []),
        (EXPERIMENT + "filter: {tier: ci}\n", "", [("filter", "removed-form", "error")]),
        (
            EXPERIMENT.replace("model: gpt-5.2", "reasoning_effort: low").replace(
                "/model", "/reasoning_effort"
            ),
            "0.13",
            [("/defaults/reasoning_effort", NEWER, "error"), ("reasoning_effort", NEWER, "error")],
        ),
        (
            EXPERIMENT.replace("model: gpt-5.2", "reasoning_effort: low").replace(
                "/model", "/reasoning_effort"
            ),
            "",
            [],
        ),
    ],
)
def test_experiments(text: str, target: str, found: list[tuple[str, str, str]]) -> None:
    assert _seen(text, target, "a.experiment.yaml") == found


@pytest.mark.parametrize(
    ("text", "target", "found"),
    [
        ("paths: {evals: e/}\nmetadata: {team: a}\n", "0.16", [("metadata", NEWER, "warning")]),
        ("paths: {evals: e/}\nmetadata: {team: a}\nplugins: [./a.js]\n", "", []),
        (
            "environments: {spare: {git: {type: worktree, source: ., branch: b}}}\n",
            "",
            [("branch", "unknown-key", "error")],
        ),
    ],
)
def test_projects(text: str, target: str, found: list[tuple[str, str, str]]) -> None:
    assert _seen(text, target, ".vally.yaml") == found


def test_the_keys_of_another_form_of_git_are_not_known() -> None:
    text = "environment: {git: {type: clone, source: ., url: 'https://example.com/a'}}\n" + STIMULUS
    assert [it for it in _seen(text, "") if it[1] == "unknown-key"] == []


def test_messages_say_what_older_versions_did() -> None:
    snapshot = snapshot_of(STIMULUS + "    expect_activation: true\n", "eval.yaml")
    [mark] = findings(snapshot, CheckContext(snapshot.path))
    assert mark.finding.message.endswith(
        "refuses unknown keys of a stimulus since 0.17; older versions ignored them."
    )
    assert [it.title for it in mark.finding.fixes] == [
        "Move 'expect_activation' to 'tags'",
        "Remove 'expect_activation'",
    ]


def test_a_whole_file_has_the_same_findings_as_its_pieces(tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    text = "config: {executor: }\n" + STIMULUS + "    expect_activation: true\n        \n"
    path.write_text(text, encoding="utf-8")
    found = [(it.code, str(it.severity)) for it in check_file(path)]
    assert sorted(found) == sorted((code, severity) for _, code, severity in _seen(text, ""))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    tags: {tier: ci}\n    category: ops  # ours\n",
            "    # ours\n    tags: {tier: ci, category: ops}\n",
        ),
        (
            "    tags:\n      tier: ci\n    # above\n    category: ops  # ours\n",
            "    tags:\n      tier: ci\n      # above\n      category: ops  # ours\n",
        ),
        ("    maxTurns: 3  # few\n", "    constraints:\n      max_turns: 3  # few\n"),
        ("    rejectTools: [bash]\n", "    constraints:\n      reject_tools: [bash]\n"),
        (
            "    rubric: [short]\n    constraints: {max_turns: 2}\n    maxTokens: 9  # ours\n",
            "    rubric: [short]\n    # ours\n    constraints: {max_turns: 2, max_tokens: 9}\n",
        ),
    ],
)
def test_unknown_keys_of_a_stimulus_move_with_their_comments(before: str, after: str, line_end: str) -> None:
    start = "name: n\nstimuli:\n  - name: a\n    prompt: p\n    graders: [{type: completed}]\n"
    snapshot = snapshot_of((start + before).replace("\n", line_end))
    assert snapshot.form is not None
    end, _ = apply_fixes(
        draft_of(snapshot), snapshot.form.schema, lambda it: findings_of(snapshot.with_text(it.text, it.tree))
    )
    assert str(end.text) == (start + after).replace("\n", line_end)


def test_a_removed_form_leaves_its_comment() -> None:
    start = "stimuli:\n  - name: a\n    prompt: p\n    rubric: [r]\n    graders:\n      - type: prompt\n        config:\n"
    check_fix(
        f"{start}          output_del¦ivery: inline  # why\n          model: m\n",
        f"{start}          # why\n          model: m\n",
    )
