"""`waza-lsp rule` and `waza-lsp grader`: pages and lists in the terminal."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_engine.generate.pages import all_pages
from waza_engine.project.levels import codes
from waza_lsp.cli import main
from waza_lsp.cli.pages import manual
from waza_lsp.cli.pages.render import render


def shown(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    return done.stderr.splitlines()[0]


def test_every_page_is_readable_at_80_columns() -> None:
    """Only code is wider. No mark of Markdown is left beside the backticks of code."""
    for path, text in all_pages().items():
        in_code = set(text.splitlines())
        for line in render(text).splitlines():
            assert len(line) <= 80 or line[4:] in in_code, (path, line)
            assert not line.startswith(("#", "|")), (path, line)
        assert render(text, width=40).count("\n") > render(text).count("\n") or path.endswith("README.md")


def test_a_page_says_level_fix_and_what_the_project_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = shown("rule", "unknown-key")
    assert page.startswith("unknown-key\n  A key that the format does not have.\n")
    assert "  Usually: error. `check --fix` repairs clear cases.\n" in page
    assert "In this project" not in page
    assert "docs/rules/unknown-key.md" in page
    (tmp_path / ".waza-lsp.toml").write_text("[rules]\ncannot-fail = 'error'\nunknown-key = 'off'\n")
    assert "In this project: `error` (set in .waza-lsp.toml)" in shown("rule", "cannot-fail")
    assert "`check --fix` leaves it to you" in shown("rule", "cannot-fail")
    assert "In this project: `off`" in shown("rule", "unknown-key")


def test_options_are_a_list() -> None:
    page = shown("grader", "text")
    assert "\n  contains: list of strings\n      Strings that must appear in the output" in page
    assert '\n      Example: `["deployed to", "resource group"]`\n' in page
    assert "\n    type: text\n    name: says-where\n" in page


def test_a_type_of_two_dialects_says_so() -> None:
    page = shown("grader", "prompt")
    assert "`waza-lsp grader prompt --dialect vally`" in " ".join(page.split())
    assert shown("grader", "prompt", "--dialect", "vally") != page


def test_lists_have_one_line_each() -> None:
    assert [it.split()[0] for it in shown("rule").splitlines()] == sorted(codes())
    lines = shown("grader").splitlines()
    assert len(lines) == len([it for it in all_pages() if it.startswith("graders/")]) - 2
    assert lines[-1].startswith("vally  ")
    assert all(it.startswith("vally") for it in shown("grader", "--dialect", "vally").splitlines())


def test_other_formats() -> None:
    data = json.loads(shown("rule", "unknown-key", "--format", "json"))
    assert list(data) == ["code", "level", "fixable", "title", "url", "page"]
    assert (data["level"], data["fixable"]) == ("error", True)
    assert data["page"] == all_pages()["rules/unknown-key.md"]
    assert shown("grader", "tool-calls", "--format", "markdown") == all_pages()["graders/vally/tool-calls.md"]
    assert {it["dialect"] for it in json.loads(shown("grader", "--format", "json"))} == {"waza", "vally"}
    assert any(it["old"] for it in json.loads(shown("grader", "--format", "json")))


def test_misspelt_names() -> None:
    assert "Did you mean 'unknown-key'" in refused("rule", "unknwon-key")
    assert refused("rule", "text").endswith("See: waza-lsp grader text")
    assert refused("grader", "unknown-key").endswith("See: waza-lsp rule unknown-key")
    assert "Did you mean 'tool-calls' or 'tool_calls'" in refused("grader", "toolcalls")
    assert refused("grader", "qqqq").endswith("is named 'qqqq'. List all names with: waza-lsp grader")


def test_pages_of_plug_ins_are_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual, "has_plugins", lambda: True)
    assert manual.page("rules/unknown-key") == all_pages()["rules/unknown-key.md"]
    assert manual.page("rules/nothing") is None
