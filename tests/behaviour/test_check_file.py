"""What the engine says of a file to a program is what the editor says of its text."""

from pathlib import Path

import pytest

from tests.behaviour.rules_harness import Example, examples
from waza_engine import Finding, LoadError, Severity, check_file
from waza_engine.checking.files import Files
from waza_engine.docs_pages import rules_with_pages
from waza_engine.scope import Scope
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.world import World
from waza_lsp.snapshot import Snapshot

ROOT = Path(__file__).parents[2]
OF_TEXTS = {
    *("duplicate-key", "second-document", "syntax-error", "text-cut-by-comment"),
    *("unknown-tag", "unquoted-template", "unreadable-config", "unused-suppression"),
}
"""What only a text can have."""
WITHOUT_DATA = {"empty-file"}
EXAMPLES = [
    pytest.param(example, id=f"{rule.code}-{heading}")
    for rule, module in rules_with_pages()
    for heading, example in examples(module.__doc__ or "").items()
    if rule.code not in WITHOUT_DATA
]


def _in_editor(path: Path, process_dir: Path) -> set[tuple[str, object, str, str]]:
    snapshot = Snapshot.of(path.as_uri(), path.read_text(encoding="utf-8"))
    world = World(path, Scope(path.parent, process_dir), Files())
    return {_told(it.in_document) for it in findings(snapshot, world)}


def _told(finding: Finding) -> tuple[str, object, str, str]:
    return finding.code, finding.pointer, finding.message, finding.severity


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_program_is_told_what_the_editor_shows(example: Example, tmp_path: Path) -> None:
    example.checked_in(tmp_path)
    path = tmp_path / "evals" / example.name
    expected = _in_editor(path, tmp_path)
    try:
        found = {_told(it) for it in check_file(path, process_dir=tmp_path)}
    except LoadError:
        assert {code for code, *_ in expected} & OF_TEXTS
    else:
        assert found == {it for it in expected if it[0] not in OF_TEXTS}


def test_the_project_has_a_say(tmp_path: Path) -> None:
    eval_file = tmp_path / "eval.yaml"
    text = (ROOT / "examples/code-explainer/eval.yaml").read_text(encoding="utf-8")
    eval_file.write_text(text.replace("trials_per_task:", "trails_per_task:"), encoding="utf-8")
    assert {it.code for it in check_file(eval_file) if it.severity is Severity.ERROR} >= {"unknown-key"}
    (tmp_path / ".waza-lsp.toml").write_text('[rules]\nunknown-key = "hint"\nmissing-key = "off"\n')
    said = {it.code: it.severity for it in check_file(eval_file)}
    assert said["unknown-key"] is Severity.HINT
    assert "missing-key" not in said
    (tmp_path / ".waza-lsp.toml").write_text('exclude = ["eval.yaml"]\n')
    assert check_file(eval_file) == []


def test_other_files_have_no_findings_and_unreadable_ones_raise(tmp_path: Path) -> None:
    compose = tmp_path / "compose.yaml"
    compose.write_text("services: {web: {image: nginx}}\n", encoding="utf-8")
    assert check_file(compose) == []
    with pytest.raises(LoadError, match="cannot be read"):
        check_file(tmp_path / "gone.yaml")
    compose.write_text("a: [\n", encoding="utf-8")
    with pytest.raises(LoadError) as raised:
        check_file(compose)
    assert raised.value.line == 1
