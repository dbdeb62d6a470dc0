"""`check_file` and the editor report the same findings."""

from pathlib import Path

import pytest

from tests.behaviour.rules_harness import Example, examples, write
from tests.slow import first_quick
from waza_engine import Finding, LoadError, Severity, check_file
from waza_engine.analysis.pipeline import check_context
from waza_engine.generate.pages import rules_with_pages
from waza_engine.project.settings import Projects
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot

ROOT = Path(__file__).parents[2]
OF_TEXTS = {
    *("duplicate-key", "second-document", "syntax-error", "text-cut-by-comment"),
    *("unknown-tag", "unquoted-template", "unreadable-config", "unused-suppression"),
}
"""Codes that need the text, not only the data."""
WITHOUT_DATA = {"empty-file"}
EXAMPLES = [
    pytest.param(example, id=f"{rule.code}-{heading}")
    for rule, module in rules_with_pages()
    for heading, example in examples(module.__doc__ or "").items()
    if rule.code not in WITHOUT_DATA
]
OLDER = [
    pytest.param(*it.values, "0.26" if at // 2 % 2 else "0.20", id=it.id) for at, it in enumerate(EXAMPLES)
]
"""Example and Instead of each rule with one of two older versions."""


def _in_editor(path: Path, process_dir: Path) -> set[tuple[str, object, str, str]]:
    snapshot = Snapshot.of(path.as_uri(), path.read_text(encoding="utf-8"))
    context = check_context(path, Projects().of(path.parent), process_dir)
    return {_as_tuple(it.in_document) for it in findings(snapshot, context)}


def _as_tuple(finding: Finding) -> tuple[str, object, str, str]:
    return finding.code, finding.pointer, finding.message, finding.severity


@pytest.mark.parametrize("example", first_quick(EXAMPLES, 60))
def test_check_file_returns_what_the_editor_shows(example: Example, tmp_path: Path) -> None:
    write(tmp_path / "evals", example.files)
    path = tmp_path / "evals" / example.name
    expected = _in_editor(path, tmp_path)
    try:
        found = {_as_tuple(it) for it in check_file(path, process_dir=tmp_path)}
    except LoadError:
        assert {code for code, *_ in expected} & OF_TEXTS
    else:
        assert found == {it for it in expected if it[0] not in OF_TEXTS}


@pytest.mark.slow
@pytest.mark.parametrize(("example", "target"), OLDER)
def test_older_versions_are_those_of_the_editor(example: Example, target: str, tmp_path: Path) -> None:
    (tmp_path / ".waza-lsp.toml").write_text(f'target = "{target}"\n')
    test_check_file_returns_what_the_editor_shows(example, tmp_path)


def test_the_version_of_the_project(tmp_path: Path) -> None:
    eval_file = tmp_path / "eval.yaml"
    text = (ROOT / "examples/code-explainer/eval.yaml").read_text(encoding="utf-8")
    calls = "graders:\n  - {type: tool_calls, name: calls, config: {min_calls: 1}}\n"
    eval_file.write_text(text.replace("graders:\n", calls, 1) + "trailz: 3\n")
    newest = {it.code: it.severity for it in check_file(eval_file)}
    assert newest["unknown-key"] is Severity.WARNING
    assert "newer-than-target" not in newest
    (tmp_path / ".waza-lsp.toml").write_text('target = "0.23"\n')
    older = {it.code: it for it in reversed(check_file(eval_file))}
    assert older["unknown-key"].severity is Severity.WARNING
    assert older["unknown-key"].message.endswith("(waza 0.23 ignores it silently)")
    newer = {it.pointer for it in check_file(eval_file) if it.code == "newer-than-target"}
    assert ("graders", 0, "type") in newer


def test_grader_types_of_plug_ins(tmp_path: Path) -> None:
    spec = tmp_path / "eval.yaml"
    spec.write_text(
        "name: a\nstimuli:\n  - {name: b, prompt: Say hello.}\n"
        "graders:\n  - {type: my-plugin}\n  - {type: other-plugin}\n  - {type: output-contain}\n"
    )

    def unknown() -> list[tuple[object, str]]:
        found = [it for it in check_file(spec) if it.code == "unknown-grader-type"]
        return [(it.pointer, it.severity) for it in found]

    places = [("graders", index, "type") for index in range(3)]
    assert unknown() == [*zip(places, ["warning", "warning", "error"], strict=True)]
    (tmp_path / ".waza-lsp.toml").write_text('[vally]\nextraGraderTypes = ["my-plugin"]\n')
    assert unknown() == [*zip(places[1:], ["hint", "error"], strict=True)]


def test_grader_types_of_your_own_in_a_waza_eval(tmp_path: Path) -> None:
    eval_file = tmp_path / "eval.yaml"
    text = (ROOT / "examples/code-explainer/eval.yaml").read_text(encoding="utf-8")
    own = "graders:\n  - {type: my-checker, name: a, config: {any: 1}}\n  - {type: other, name: b}\n"
    eval_file.write_text(text.replace("graders:\n", own, 1))
    (tmp_path / ".waza-lsp.toml").write_text('[waza]\nextraGraderTypes = ["my-checker"]\n')
    found = [it for it in check_file(eval_file) if it.code == "unknown-grader-type"]
    assert [(it.pointer, it.severity) for it in found] == [(("graders", 1, "type"), "error")]


def test_an_unknown_option_does_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    eval_file = tmp_path / "eval.yaml"
    text = (ROOT / "examples/code-explainer/eval.yaml").read_text(encoding="utf-8")
    odd = "graders:\n  - {type: text, name: odd, config: {zz_unknown: 1, regex_match: ['(']}}\n"
    eval_file.write_text(text.replace("graders:\n", odd, 1))
    found = {_as_tuple(it) for it in check_file(eval_file)}
    assert found == _in_editor(eval_file, Path.cwd())
    assert {"unknown-key", "invalid-regex"} <= {code for code, *_ in found}


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
