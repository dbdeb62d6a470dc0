"""Suppression comments and the severities that a project sets."""

from pathlib import Path

import pytest

from tests.behaviour.findings_harness import HEADER, Found, findings_in
from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import Scope, Severity
from waza_lsp.features.diagnostics import findings

UNUSED = "unused-suppression"


def _text_grader(*lines: str) -> str:
    return (
        HEADER
        + "graders:\n  - type: text\n    name: first\n    config:\n"
        + "".join(f"      {it}\n" for it in lines)
    )


def _codes(source: str) -> list[str]:
    return [it.code for it in findings_in(source)]


def _unused(source: str) -> list[Found]:
    return [it for it in findings_in(source) if it.code == UNUSED]


def test_a_comment_behind_the_line_suppresses_it() -> None:
    mistake = "contians: [a]"
    assert _codes(_text_grader("contains: [b]", mistake)) == ["unknown-key"]
    assert _codes(_text_grader("contains: [b]", f"{mistake}  # waza-lsp: ignore[unknown-key]")) == []
    assert (
        _codes(
            _text_grader("contains: [b]", f"{mistake}  # waza-lsp: ignore[unknown-key] our own fork has it")
        )
        == []
    )


def test_a_comment_on_its_own_line_suppresses_the_next_line() -> None:
    assert _codes(_text_grader("contains: [b]", "# waza-lsp: ignore[unknown-key]", "contians: [a]")) == []
    assert (
        _codes(_text_grader("contains: [b]", "# waza-lsp: ignore[unknown-key]", "# why", "contians: [a]"))
        == []
    )


@pytest.mark.parametrize("indicator", ["|", ">-", "|2+", "&text |", "!!str |"])
def test_a_comment_behind_the_indicator_of_a_block(indicator: str) -> None:
    comment = "  # waza-lsp: ignore[unknown-key]"
    assert _codes(_text_grader("contains: [b]", f"contians: {indicator}", "  a")) == ["unknown-key"]
    assert _codes(_text_grader("contains: [b]", f"contians: {indicator}{comment}", "  a")) == []
    # Inside the block it is text.
    inside = _text_grader("contains: [b]", f"contians: {indicator}", f"  a{comment}", f"  {comment}")
    assert _codes(inside) == ["unknown-key"]
    needless = HEADER + f"description: {indicator}{comment}\n  a\n"
    assert [it.underlined for it in _unused(needless)] == ["unknown-key"]


def test_without_a_code_everything_on_the_line_is_silent() -> None:
    assert _codes(_text_grader("contains: [b]", "contians: [a]  # waza-lsp: ignore")) == []


def test_only_the_named_codes_are_silent() -> None:
    found = findings_in(_text_grader("contains: [b]", "contians: [a]  # waza-lsp: ignore[wrong-type]"))
    assert [it.code for it in found] == ["unknown-key", UNUSED]
    assert found[1].underlined == "wrong-type"
    assert found[1].message == "No 'wrong-type' on the line of this comment. Remove it"
    assert found[1].severity == "hint"


def test_several_codes_in_one_comment() -> None:
    source = _text_grader("contains: [b]", "contians: [a]  # waza-lsp: ignore[wrong-type, unknown-key]")
    assert [it.underlined for it in _unused(source)] == ["wrong-type"]


def test_a_whole_file() -> None:
    mistakes = _text_grader("contains: [b]", "contians: [a]", "contaisn: [b]")
    assert _codes(mistakes) == ["unknown-key", "unknown-key"]
    assert _codes("# waza-lsp: ignore-file[unknown-key]\n" + mistakes) == []
    assert _codes("# Made by a tool.\n# waza-lsp: ignore-file\n---\n" + mistakes) == []


def test_a_whole_file_only_at_the_top() -> None:
    source = _text_grader("contains: [b]", "# waza-lsp: ignore-file", "contians: [a]")
    assert _codes(source) == [UNUSED, "unknown-key"]
    assert "above the first key" in _unused(source)[0].message


def test_text_that_is_no_comment_suppresses_nothing() -> None:
    quoted = _text_grader('contains: ["b # waza-lsp: ignore"]', "contians: [a]")
    assert _codes(quoted) == ["unknown-key"]
    block = HEADER + "description: |\n  # waza-lsp: ignore\n  # waza-lsp: ignore[unknown-key]\nbad: 1\n"
    assert _codes(block) == ["unknown-key"]
    glued = _text_grader("contains: [b]", "contians: [a]#waza-lsp:ignore")
    assert "unknown-key" in _codes(glued)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("ignore", "No findings on the line of this comment. Remove this comment"),
        ("ignore[unknwon-key]", "No finding has the code 'unknwon-key'. Did you mean 'unknown-key'"),
        ("ignore[unknown-key", "The bracket is not closed, so this comment has no effect. Add ']'"),
        (
            "ignore[]",
            "No code in the brackets, so this comment has no effect. Add one, or write only 'ignore' for all findings",
        ),
        ("ignroe[unknown-key]", "Unknown word 'ignroe'. Did you mean 'ignore'?"),
        ("negative-tests", "Unknown word 'negative-tests'. Did you mean 'negative-test'?"),
        ("quarantaine sleeps", "Unknown word 'quarantaine'. Did you mean 'quarantine'?"),
        ("quarantine", "'quarantine' has no effect without a reason"),
        ("quarantine: []", "'quarantine' has no effect without a reason"),
    ],
)
def test_a_comment_without_effect_says_why(comment: str, said: str) -> None:
    [found] = _unused(HEADER.replace("skill: notes", f"skill: notes  # waza-lsp: {comment}"))
    assert found.message.startswith(said)


@pytest.mark.parametrize(
    "comment",
    [
        "see the docs",
        "negative-test",
        "negative-test: it must stay out",
    ],
)
def test_a_comment_about_something_else_is_left_alone(comment: str) -> None:
    assert _unused(HEADER.replace("skill: notes", f"skill: notes  # waza-lsp: {comment}")) == []


VALLY = """\
name: e
type: capability
defaults: {executor: mock}
stimuli:
  - name: one
    prompt: |
      say one
      # waza-lsp: quarantine text of the prompt
    graders: [{type: output-contains, config: {substring: one}}]
graders: [{type: output-contains, config: {substring: one}}]
"""


@pytest.mark.parametrize(
    ("line", "indent", "has_effect"),
    [
        ("  - name: one", "", True),
        ("  - name: one", "  ", True),
        ("    graders: [", "    ", True),
        ("      say one", "", True),
        ("stimuli:", "", False),
        ("type: cap", "", False),
        ("graders: [", "", False),
    ],
)
@pytest.mark.parametrize(
    "comment", ["quarantine sleeps", "quarantine[sleeps]", "quarantine: see #12", "quarantine"]
)
def test_a_quarantine_is_about_a_task(line: str, indent: str, has_effect: bool, comment: str) -> None:
    text = VALLY.replace(f"\n{line}", f"\n{indent}# waza-lsp: {comment}\n{line}", 1)
    said = [it.message for it in _unused(text)]
    if comment == "quarantine" and line != "      say one":
        assert [it.partition(". ")[0] for it in said] == ["'quarantine' has no effect without a reason"]
    elif has_effect:
        assert said == []
    else:
        assert said == ["'quarantine' has no effect here. Put it on a line of a task, or above one"]


def test_a_quarantine_beside_the_files_of_tasks_has_no_effect() -> None:
    [found] = _unused(HEADER.replace("tasks: [", "tasks: [ # waza-lsp: quarantine sleeps\n ", 1))
    assert found.underlined == "waza-lsp: quarantine"
    assert found.message.startswith("'quarantine' has no effect here")


def test_while_the_text_is_broken_no_comment_is_called_unused() -> None:
    assert _codes(HEADER + "graders: [  # waza-lsp: ignore[unknown-key]\n  a: b\n c\n") == ["syntax-error"]


def _levels(source: str, **levels: Severity | None) -> list[tuple[str, str]]:
    named = {code.replace("_", "-"): level for code, level in levels.items()}
    snapshot = snapshot_of(source)
    found = findings(snapshot, CheckContext(snapshot.path, Scope(), levels=named))
    return [(it.finding.code, str(it.finding.severity)) for it in found]


def test_levels() -> None:
    source = _text_grader("contains: [b]", "contians: [a]")
    assert _levels(source, unknown_key=Severity.HINT) == [("unknown-key", "hint")]
    assert _levels(source, unknown_key=None) == []
    assert _levels(source, wrong_type=None) == [("unknown-key", "error")]


def test_a_comment_for_a_finding_that_is_off_is_of_use() -> None:
    source = _text_grader("contains: [b]", "contians: [a]  # waza-lsp: ignore[unknown-key]")
    assert _levels(source, unknown_key=None) == []


def test_comments_without_use_can_be_off() -> None:
    source = HEADER.replace("skill: notes", "skill: notes  # waza-lsp: ignore")
    assert _levels(source, unused_suppression=None) == []


def test_an_excluded_document_has_no_findings() -> None:
    snapshot = snapshot_of(_text_grader("contians: [a]"))
    assert findings(snapshot, CheckContext(excluded=True)) == []


def test_findings_about_a_file_on_disk_are_refreshed_when_it_changes(tmp_path: Path) -> None:
    source = HEADER + "graders:\n  - type: prompt\n    name: judged\n    config:\n      rubric: judge.md\n"

    def codes() -> list[str]:
        snapshot = snapshot_of(source, folder=tmp_path)
        found = findings(snapshot, CheckContext(snapshot.path, Scope(tmp_path, tmp_path)))
        return [it.finding.code for it in found if it.finding.code == "unusable-rubric"]

    assert codes() == ["unusable-rubric"]
    rubric = tmp_path / "judge.md"
    rubric.write_text(
        "---\nname: mine\nversion: 1.0.0\nscale: pass-fail\ndescription: Mine.\n---\nJudge it.\n",
        encoding="utf-8",
    )
    assert codes() == []
    rubric.write_text("no front matter\n", encoding="utf-8")
    assert codes() == ["unusable-rubric"]
    rubric.unlink()
    assert codes() == ["unusable-rubric"]


def test_findings_about_a_schema_in_another_file_are_refreshed_too(tmp_path: Path) -> None:
    schema = "      schema: {$ref: other.json}\n"
    source = HEADER + "graders:\n  - type: json_schema\n    name: fits\n    config:\n" + schema

    def codes() -> list[str]:
        snapshot = snapshot_of(source, folder=tmp_path)
        found = findings(snapshot, CheckContext(snapshot.path, Scope(tmp_path, tmp_path)))
        return [it.finding.code for it in found if it.finding.code == "invalid-json-schema"]

    assert codes() == ["invalid-json-schema"]
    (tmp_path / "other.json").write_text('{"type": "object"}', encoding="utf-8")
    assert codes() == []
