"""Fixes for invalid YAML, and for valid YAML that means something else than intended."""

import pytest

from tests.behaviour.fixes_harness import apply_edits, check_fix, draft_of, findings_of, quick_fixes
from tests.behaviour.harness import snapshot_of
from tests.behaviour.test_fixes import HEADER
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_lsp.fixes.fixes import solutions

GRADER = """\
graders:
  - type: text
    name: a
    config:
      contains: {}
"""


def _check(before: str, after: str, title: str | None = None) -> None:
    check_fix(HEADER + before, HEADER + after, title)


def _value(before: str, after: str, title: str | None = None) -> None:
    _check(GRADER.format(before), GRADER.format(after), title)


def test_v11_tabs() -> None:
    check_fix(HEADER.replace("  timeout", "¦\ttimeout"), HEADER)
    check_fix(HEADER.replace("\n  ", "\n\t").replace("\ttrials", "¦\ttrials"), HEADER)


def test_blanks_of_a_web_page() -> None:
    check_fix(HEADER.replace("  timeout", "\u00a0 ¦timeout"), HEADER, "Use ordinary spaces")
    check_fix(HEADER.replace("  timeout", " \u00a0¦timeout"), HEADER, "Use ordinary spaces")
    check_fix(HEADER.replace("skill: ", "skill:\u00a0¦"), HEADER, "Use ordinary spaces")
    graders = HEADER + "graders:\n  - type: text\n    name: n\n    config: {contains: [a]}\n"
    for mark in ("- ", "name: "):
        start = graders.index(mark, len(HEADER)) + len(mark)
        before = graders[: start - 1] + "\u00a0¦" + graders[start:]
        check_fix(before, graders, "Use ordinary spaces")


def test_tabs_take_the_columns_of_the_neighbours() -> None:
    four = HEADER.replace("\n  ", "\n    ")
    check_fix(four.replace("    timeout", "¦\ttimeout"), four)


def test_two_positions_of_a_quote_have_different_titles() -> None:
    found = quick_fixes(HEADER + "description: ¦'notes # of today\n")
    assert [it.title for it in found] == ["Add the closing quote", "Add the closing quote after 'today'"]


def test_v12_a_line_too_deep() -> None:
    check_fix(HEADER.replace("  timeout", "   ¦timeout"), HEADER)


def test_v12_the_first_line_of_several_is_too_deep() -> None:
    check_fix(HEADER.replace("  trials", "   ¦trials"), HEADER)
    task = "id: a\nname: A\ninputs:\n{0}prompt: |\n{1}  hello\n  files: []\n  workdir: x\n"
    check_fix(task.format("   ¦", "   "), task.format("  ", "  "), name="tasks/a.yaml")


def test_v12_of_two_lines_the_second_is_not_deep_enough() -> None:
    task = "id: a\nname: A\ninputs:\n   prompt: x\n{0}workdir: x\n"
    check_fix(task.format("  ¦"), task.format("   "), name="tasks/a.yaml")


def test_v12_a_line_not_deep_enough_goes_with_what_is_below_it() -> None:
    _check(
        GRADER.format("[x]").replace("    config:\n      contains", "   conf¦ig:\n     contains"),
        GRADER.format("[x]").replace("      contains", "      contains"),
    )


def test_v13_an_unclosed_quote() -> None:
    _check(
        GRADER.format("[x]").replace("name: a", 'name: ¦"a  # b'),
        GRADER.format("[x]").replace("name: a", 'name: "a"  # b'),
    )


def test_v14_unclosed_brackets() -> None:
    _value("¦[a, b  # c", "[a, b]  # c")
    _check(
        "graders:\n  - {type: text, name: a, config: {contains: ¦[b\n",
        "graders:\n  - {type: text, name: a, config: {contains: [b]}}\n",
    )


def test_v15_a_missing_blank_after_a_colon() -> None:
    _check(GRADER.format("[x]").replace("name: a", "na¦me:a"), GRADER.format("[x]"))


def test_v15_where_yaml_takes_it_for_a_text() -> None:
    check_fix(
        HEADER.replace(
            "  trials_per_task: 1\n  timeout_seconds: 60\n  executor: mock\n  model: gpt-4o\n",
            "  trials_per¦_task:1\n",
        ),
        HEADER.replace("  timeout_seconds: 60\n  executor: mock\n  model: gpt-4o\n", ""),
    )


def test_v16_a_missing_blank_after_a_dash() -> None:
    _check(GRADER.format("[x]").replace("- type", "¦-type"), GRADER.format("[x]"))
    two = GRADER.format("[x]") + GRADER.format("[y]").removeprefix("graders:\n")
    _check(two.replace("- type", "-type").replace("-type", "¦-type", 1), two)


def test_v16_where_yaml_takes_it_for_a_text() -> None:
    _value("\n        -¦x\n        -y", "\n        - x\n        - y")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{{name¦}}", '"{{name}}"'),
        ("{{ name¦ }}  # c", '"{{ name }}"  # c'),
        ("{{na¦me}} does it", '"{{name}} does it"'),
        ("{{a}}: {{¦b}}", '"{{a}}: {{b}}"'),
    ],
)
def test_v17_a_template_without_quotes(before: str, after: str) -> None:
    task = "id: t\nname: T\ninputs:\n  prompt: {}\n"
    check_fix(task.format(before), task.format(after), name="tasks/a.yaml")


def test_v17_a_template_in_brackets() -> None:
    _value("[{{¦a}}, b]", '["{{a}}", b]')
    _value("[{{¦a}} c, b]", '["{{a}} c", b]')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["¦\\d+"]', "['\\d+']"),
        ('["\\¦d+", "it\'s"]', "['\\d+', \"it's\"]"),
        ('["¦\\d\\n"]', '["\\\\d\\n"]'),
        ("[@¦x, y]", "['@x', y]"),
        ("[*¦.md, y]", "['*.md', y]"),
    ],
)
def test_texts_that_need_other_quotes(before: str, after: str) -> None:
    _value(before, after)


def test_a_colon_in_a_value() -> None:
    check_fix(
        HEADER.replace("name: notes", "name: notes¦: two"),
        HEADER.replace("name: notes", "name: 'notes: two'"),
    )


def test_quotes_inside_quotes() -> None:
    check_fix(
        HEADER.replace("name: notes", "name: 'it'¦s notes'"),
        HEADER.replace("name: notes", "name: 'it''s notes'"),
    )


def test_a_key_without_a_colon() -> None:
    _check(GRADER.format("[x]").replace("config:", "conf¦ig"), GRADER.format("[x]"), "Add a colon")


def test_a_merge_conflict_has_no_fix() -> None:
    assert quick_fixes(HEADER + "¦<<<<<<< ours\nversion: '1'\n=======\nversion: '2'\n>>>>>>> theirs\n") == []


@pytest.mark.parametrize("line", ["version¦:1", "vers¦ion"])
def test_half_an_entry_at_the_top(line: str) -> None:
    found = quick_fixes(HEADER + line + "\n")
    assert [it.title for it in found] == ["Add the missing space" if ":" in line else "Add a colon"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Please read the notes. The rules are: be short,\n    be good", None),
        ("Please read the notes.\n    The rules are: be short,\n    be good", None),
        ("\n    Please read: the notes\n    and be good", "Please read: the notes\n    and be good"),
        ("\n    Don't read: the notes\n    and be good: ä", "Don't read: the notes\n    and be good: ä"),
    ],
)
def test_a_text_over_several_lines_is_quoted_as_a_whole(value: str, text: str | None, line_end: str) -> None:
    source = f"id: a\nname: a\ninputs:\n  prompt: {value}\n  context: {{}}\n".replace(": \n", ":\n")
    snapshot = snapshot_of(source.replace("\n", line_end), "task.yaml")
    assert snapshot.form is not None
    found = [it for it in findings_of(snapshot) if it.finding.severity == "error"]
    assert len(found) == 1, [it.finding.message for it in found]
    best = solutions(found[0], draft_of(snapshot), snapshot.form.schema)[0]
    data = plain(read_yaml(str(apply_edits(snapshot.text, list(best.edits)))))
    assert data["inputs"]["prompt"] == (text or value).replace("\n    ", " ")


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("The answer is: short", "The answer is: short"),
        ("Fixes issue #12 of it", "Fixes issue #12 of it"),
        ("It's done: all", "It's done: all"),
        ('"Error": ünknown', '"Error": ünknown'),
    ],
)
@pytest.mark.parametrize("key", ["rubric", "turns"])
def test_criteria_and_turns_are_quoted(key: str, item: str, text: str) -> None:
    prompt = "prompt: x\n    " if key == "rubric" else ""
    source = f"stimuli:\n  - name: a\n    {prompt}{key}:\n      - {item}\n      - second\n    graders: [{{type: prompt}}]\n"
    snapshot = snapshot_of(source, "eval.yaml")
    assert snapshot.form is not None
    codes = {"wrong-type", "missing-key", "text-cut-by-comment"}
    [found] = [it for it in findings_of(snapshot) if it.finding.code in codes]
    best = solutions(found, draft_of(snapshot), snapshot.form.schema)[0]
    data = plain(read_yaml(str(apply_edits(snapshot.text, list(best.edits)))))
    assert data["stimuli"][0][key] == [text, "second"]


def test_a_badly_indented_key_below_a_name_is_no_text() -> None:
    source = "stimuli:\n  - name: summarize the notes\n      prompt: hello\n"
    [found] = [
        it for it in findings_of(snapshot_of(source, "eval.yaml")) if it.finding.code == "syntax-error"
    ]
    assert "indented" in found.finding.message
