"""The clauses of a SKILL.md have exact places in every style of YAML, and nothing else in the file is read."""

from pathlib import Path

import pytest
from lsprotocol import types

from waza_engine.project.skill_prompts import clauses
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.skill_text import skill_text

STYLES = {
    "literal": 'description: |\n  Does it.\n  USE FOR: "fix ünits", add\n  tests. # part of the text\n',
    "folded": "description: >-\n  Does it. USE FOR: fix ünits,\n\n  add\n  tests.\n",
    "plain": "description: Does it. WHEN! USE FOR fix ünits,\n  add\n  tests. # a comment\n",
    "single quotes": "description: 'It''s done. USE FOR: fix ünits, add\n\n  tests.'\n",
    "double quotes": 'description: "\\u00c4 \\"x\\" USE FOR: fix ünits, add\n  tests." # a comment\n',
    "one line": "description: USE FOR fix ünits, add tests\n",
    "flow": '{name: x, description: "USE FOR: fix ünits, add tests"}\n',
}


def marked(snapshot: Snapshot) -> list[str]:
    skill = skill_text(snapshot)
    assert skill is not None
    return [
        " ".join(snapshot.text.slice(skill.span(it.start, it.end)).split())
        for it in clauses(skill.skill.description)
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("style", STYLES)
def test_places_of_clauses(style: str, end: str) -> None:
    text = f"---\n# above\nlicense: MIT\n{STYLES[style]}---\n\nUSE FOR: nothing\n".replace("\n", end)
    snapshot = Snapshot.of("file:///skills/x/SKILL.md", text)
    expected = {"literal": ["fix ünits"]}.get(style, ["fix ünits", "add tests"])
    assert marked(snapshot) == expected
    assert snapshot.form is None


def test_a_clause_that_is_written_is_followed() -> None:
    text = "---\nname: x\ndescription: USE FOR fix units\n---\n"
    first = Snapshot.of("file:///skills/x/SKILL.md", text, 1)
    place = first.text.range(Span(Place(2, 30), Place(2, 30)))
    after = first.with_changes([types.TextDocumentContentChangePartial(place, ", add tests")], 2)
    assert marked(after) == ["fix units", "add tests"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# no front matter\n",
        "---\nname: x\n",
        "---\n---\n",
        "---\n- a\n---\n",
        "---\nname: [\n---\nname: eval\n",
    ],
)
def test_broken_front_matter_is_quiet(text: str) -> None:
    skill = skill_text(Snapshot.of("file:///skills/x/SKILL.md", text))
    assert skill is None or clauses(skill.skill.description) == []


@pytest.mark.parametrize("name", ["README.md", "SKILL.md", "notes.md"])
def test_markdown_is_never_an_eval(name: str, tmp_path: Path) -> None:
    text = "name: e\nskill: s\nconfig: {}\ntasks: []\ngraders: []\n"
    assert Snapshot.of((tmp_path / name).as_uri(), text).form is None
