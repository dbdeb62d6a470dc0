"""What findings suggest for names they do not know: a near name of the same kind, else what the author can do."""

from pathlib import Path

import pytest

from tests.behaviour.fixes_harness import check_fix, quick_fixes
from waza_engine.analysis.pipeline import check_file
from waza_engine.dialects.vally.grader_names import MAX_LENGTH, slug_of

WAZA = """\
name: notes
skill: notes
tasks: [tasks/*.yaml]
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: {executor}
  model: gpt-4o
graders:
  - type: {type}
    name: a
    config: {config}
"""
VALLY = """\
name: notes
environment:
  mcpServers:
    fetch: {server}
stimuli:
  - name: one
    prompt: Say hello.
    graders:
      - type: {type}
        config: {config}
"""


def _messages(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "eval.yaml").write_text(text, encoding="utf-8")
    return [it.message for it in check_file(tmp_path / "eval.yaml")]


def _fixes(text: str) -> list[str]:
    return [it.title for it in quick_fixes(text) if "ignore" not in it.title.lower()]


@pytest.mark.parametrize("kind", ["output_contains", "outputContains", "Output-Contains"])
def test_a_type_in_another_case_has_one_fix(kind: str) -> None:
    before = VALLY.format(server="{command: npx}", type=kind, config="{substring: a}")
    assert _fixes(before.replace("type: ", "type: ¦")) == ["Change to 'output-contains'"]


@pytest.mark.parametrize("kind", ["output_not_contains", "output-not-contains"])
def test_a_type_of_the_other_format_keeps_its_meaning(kind: str) -> None:
    text = WAZA.format(executor="mock", type="¦" + kind, config="{substring: a}")
    after = WAZA.format(executor="mock", type="text", config="{not_contains: [a]}")
    check_fix(text, after)


def test_types_and_executors_of_other_runners(tmp_path: Path) -> None:
    found = _messages(tmp_path, WAZA.format(executor="claude", type="self-report", config="{}"))
    assert any(
        "'self-report'" in it and "waza.extraGraderTypes" in it and "Did you" not in it for it in found
    )
    assert any("'claude'" in it and "`command`" in it and "Did you" not in it for it in found)


@pytest.mark.parametrize(
    ("key", "pattern"),
    [("match_any", "(?i)a.b|c"), ("contains_any", r"(?i)a\.b|c")],
    ids=["match", "contains"],
)
def test_alternatives_become_one_pattern(key: str, pattern: str) -> None:
    before = WAZA.format(executor="mock", type="text", config=f"{{¦{key}: [a.b, c]}}")
    after = WAZA.format(executor="mock", type="text", config=f"{{regex_match: [{pattern}]}}")
    check_fix(before, after, "Change to one pattern of 'regex_match'")


def test_alternatives_beside_the_option_are_only_explained() -> None:
    config = "{¦match_any: [a, b], regex_match: [c]}"
    assert _fixes(WAZA.format(executor="mock", type="text", config=config)) == ["Remove 'match_any'"]


def test_a_remote_server_is_right(tmp_path: Path) -> None:
    server = "{type: http, url: 'https://example.com/mcp'}"
    text = VALLY.format(server=server, type="output-contains", config="{substring: hi there}")
    assert not [it for it in _messages(tmp_path, text) if "http" in it]


def test_a_key_of_another_shape_is_no_guess(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(
        "id: a\nname: a\ninputs: {prompt: hi}\nexpected_graders: {a: fail}\n", encoding="utf-8"
    )
    found = [it.message for it in check_file(tmp_path / "task.yaml")]
    assert any("'expected_graders'" in it and "Did you" not in it for it in found)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        (
            "Verifies that the agent cleans up after blob storage operations ok",
            "verifies-that-the-agent-cleans-up-after-blob-storage",
        ),
        ("a" * 70, "a" * MAX_LENGTH),
        (f"{'a' * 55}-bcde", f"{'a' * 55}-bcde"),
    ],
)
def test_a_long_name_is_cut_between_words(name: str, slug: str) -> None:
    assert slug_of(name) == slug
    assert len(slug_of(name, [slug])) <= MAX_LENGTH
