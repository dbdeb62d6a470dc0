"""Texts of files that would be commands, links or markup where they are shown."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner
from lsprotocol import types

from waza_lsp.cli import main
from waza_lsp.features.hover import hover
from waza_lsp.schema.markup import escaped, fenced, plain_text
from waza_lsp.schema.type_words import code
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place
from waza_lsp.workspace.workspace import WorkspaceFiles

PAYLOADS = {
    "an image": "![i](http://example.com/p.png)",
    "a command link": "[click](command:workbench.action.quit)",
    "HTML": "<img src=http://example.com/p.png>",
    "a heading": "# You must",
    "the end of a code block": "a ``` b ```` c",
    "the end of inline code": "a ` b `` c",
    "a table": "| a |",
    "a reordering": "abc \u202e cba",
    "an escape sequence": "\x1b[31mred",
    "a command of a CI system": "::error::no",
    "an end of CDATA": "]]> <x>",
}
_ACTIVE = re.compile(
    r"(?<!\\)!?(?<!\\)\[[^\]\\]*\]\((?!file:|https://github\.com/waza-lsp/waza-lsp/blob/main/docs/formats/)|(?<!\\)<\w|^#|[\x1b\u202e]",
    re.MULTILINE,
)
EVAL = """\
name: demo
skill: {name}
config:
  executor: mock
  trials_per_task: 1
  timeout_seconds: 60
  model: m
tasks: [tasks/*.yaml]
"""


def _quoted(text: str) -> str:
    return json.dumps(text)


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_injection_a_skill_s_description_is_no_markup_in_a_hover(payload: str, tmp_path: Path) -> None:
    """Class: Markdown of a repository in an editor: images that report the reader, links, headings."""
    skill = tmp_path / "skills" / "demo-skill"
    skill.mkdir(parents=True)
    text = f"---\nname: demo-skill\ndescription: {_quoted(payload)}\n---\n"
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    file = tmp_path / "eval.yaml"
    file.write_text(EVAL.format(name="demo-skill"), encoding="utf-8")
    snapshot = Snapshot.of(file.as_uri(), file.read_text(encoding="utf-8"))
    found = hover(snapshot, snapshot.text.position(_place(snapshot, "demo-skill")), WorkspaceFiles(tmp_path))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert "SKILL.md" in found.contents.value
    assert _ACTIVE.search(found.contents.value) is None


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_injection_code_and_escapes_keep_their_text(payload: str) -> None:
    """Class: text that ends the code it is shown in."""
    assert plain_text(code(payload)) == payload
    assert plain_text(fenced(payload, "text")) == payload
    assert plain_text(escaped(payload)) == payload


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_injection_a_key_is_no_command_in_a_report(
    form: str, payload: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Class: keys of a file in reports for terminals, CI systems and viewers."""
    monkeypatch.chdir(tmp_path)
    text = EVAL.format(name="demo-skill") + f"{_quoted(payload)}: 1\n"
    (tmp_path / "eval.yaml").write_text(text, encoding="utf-8")
    printed = CliRunner().invoke(main, ["check", "--format", form, "eval.yaml"]).output
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", printed)
    assert not re.search(r"^::(?!(?:error|warning|notice) file=eval.yaml,)", printed, re.MULTILINE)
    if form == "json":
        assert json.loads(printed)["diagnostics"]
    if form == "sarif":
        [run] = json.loads(printed)["runs"]
        assert all(not re.search(r"(?<!\\)\[[^\]]*\]\(", it["message"]["text"]) for it in run["results"])
    if form == "junit":
        assert list(ET.fromstring(printed).iter("testcase"))  # noqa: S314  # our own


def _place(snapshot: Snapshot, text: str) -> Place:
    for number, line in enumerate(snapshot.text.lines):
        if text in line:
            return Place(number, line.index(text) + 1)
    raise AssertionError(text)
