"""Unfinished text at the top of a file does not affect the rest."""

import pytest

from tests.behaviour.findings_harness import HEADER, findings_in, only_finding
from tests.behaviour.fixes_harness import check_fix
from tests.behaviour.harness import snapshot_of
from tests.lenses import code_lens

REST = HEADER.removeprefix("name: notes\n") + "  max_atempts: 2\n"
INDENTED = "This line is indented differently from its neighbours; align it with them"
IN_NO_LIST = "This item is not part of a list; remove the dash, or add the key of its list above"


@pytest.mark.parametrize(
    ("first", "underlined", "message"),
    [
        ('"name: notes', '"', 'This quote is never closed; add " at the end of the text'),
        ("'name: notes", "'", "This quote is never closed; add ' at the end of the text"),
        ('"', '"', 'This quote is never closed; add " at the end of the text'),
        ('"name"', '"name"', "Missing ':' after '\"name\"'"),
        ("[", "[", "This bracket is never closed; add ]"),
        ("{name: notes", "{", "This bracket is never closed; add }"),
        ("-", "-", IN_NO_LIST),
        ("- name: notes", "- name: notes", IN_NO_LIST),
        (" name: notes", "name", INDENTED),
        ("# notes\n\n  name: notes\n  version: '1'", "name", INDENTED),
        ("---\n name: notes", "name", INDENTED),
        ("\tname: notes", "\t", "YAML does not allow tabs for indentation; use spaces"),
    ],
)
def test_one_finding_and_all_the_others(first: str, underlined: str, message: str) -> None:
    source = f"{first}\n{REST}"
    above, below = findings_in(source)
    line = next(
        it for it, text in enumerate(first.split("\n"), 1) if text.strip() not in {"# notes", "", "---"}
    )
    assert (above.line, above.underlined, above.message) == (line, underlined, message)
    assert (below.underlined, below.code) == ("max_atempts", "unknown-key")
    whole = snapshot_of(f"name: notes\n{REST}")
    snapshot = snapshot_of(source)
    assert snapshot.form is whole.form
    assert len(code_lens(snapshot)) == len(code_lens(whole)) > 0


def test_a_key_in_half_a_quote_is_known() -> None:
    assert snapshot_of(f'"name: notes\n{REST}').data["name"] == "notes"
    task = '"id: a\nname: A\ninputs: {prompt: x}\n'
    assert only_finding(task, "other.yaml").code == "syntax-error"


@pytest.mark.parametrize(
    "source",
    [
        "{\nname: notes,\nskill: notes,\ntasks: [tasks/*.yaml],\n%s\n}\n",
        "!!map\n{name: notes, skill: notes, tasks: [tasks/*.yaml],\n%s}\n",
        "&all\n{name: notes, skill: notes, tasks: [tasks/*.yaml], %s}\n",
    ],
)
def test_a_text_in_brackets_is_read_as_one(source: str) -> None:
    config = "config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: gpt-4o}"
    assert snapshot_of(source % config).tree.keys() == ["name", "skill", "tasks", "config"]
    assert findings_in(source % config) == []
    assert only_finding(source % config.replace("model", "modle")).underlined == "modle"


@pytest.mark.parametrize("blanks", ["", "  "])
def test_a_list_is_no_eval(blanks: str) -> None:
    assert snapshot_of(f"{blanks}- type: text\n{blanks}  name: a\n").form is None


def test_an_indented_word_is_half_an_entry() -> None:
    assert only_finding(" hello\n").message == "Missing ':' after 'hello'"


def test_the_lines_are_moved_to_the_others() -> None:
    check_fix(f" ¦name: notes\n{REST}", f"name: notes\n{REST}", "Indent by 0 instead of 1")
    check_fix(
        f"  ¦name: notes\n  version: '1'\n{REST}",
        f"name: notes\nversion: '1'\n{REST}",
        "Indent by 0 instead of 2",
    )
