"""Lines below a list that align with none of its columns. waza refuses the file, and so do we."""

import pytest

from tests.behaviour.findings_harness import HEADER, findings_in, only_finding
from tests.behaviour.fixes_harness import check_fix
from waza_lsp.syntax.text import split_lines
from waza_lsp.syntax.tree.tree import Tree

MESSAGE = "This line is indented differently from its neighbours; align it with them"
GRADER = "{type: text, name: %s, config: {contains: [a]}}"
ONE, TWO, THREE = (GRADER % it for it in "abc")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("eval.yaml", f"graders:\n  - {ONE}\n ¦- {TWO}\n", f"graders:\n  - {ONE}\n  - {TWO}\n"),
        (
            "eval.yaml",
            f"graders:\n    - {ONE}\n  ¦- {TWO}\n  - {THREE}\n",
            f"graders:\n    - {ONE}\n    - {TWO}\n    - {THREE}\n",
        ),
        (
            "eval.yaml",
            f"graders:\n  - {ONE}\n¦- {TWO}\n- {THREE}\nversion: '1'\n",
            f"graders:\n  - {ONE}\n  - {TWO}\n  - {THREE}\nversion: '1'\n",
        ),
        (
            "eval.yaml",
            f"graders:\n  - {ONE}\n ¦- {TWO}\n  - {THREE}\n",
            f"graders:\n  - {ONE}\n  - {TWO}\n  - {THREE}\n",
        ),
        (
            "eval.yaml",
            f"graders:\n  - {ONE}\n ¦- type: text\n   name: b\n   config:\n     contains: [a]\n",
            f"graders:\n  - {ONE}\n  - type: text\n    name: b\n    config:\n      contains: [a]\n",
        ),
        (
            "eval.yaml",
            "graders:\n  - type: text\n    config: {contains: [a]}\n ¦name: a\n",
            "graders:\n  - type: text\n    config: {contains: [a]}\n    name: a\n",
        ),
        (
            "tasks/a.yaml",
            "id: a\nname: b\ninputs: {prompt: x}\ntags:\n  - a\n ¦- b\n",
            "id: a\nname: b\ninputs: {prompt: x}\ntags:\n  - a\n  - b\n",
        ),
        (
            "trigger_tests.yaml",
            "skill: a\nshould_trigger_prompts:\n  - prompt: x\n    reason: y\n ¦- prompt: z\n   reason: y\n",
            "skill: a\nshould_trigger_prompts:\n  - prompt: x\n    reason: y\n  - prompt: z\n    reason: y\n",
        ),
        (
            "a.vally.yaml",
            "name: a\nstimuli:\n  - name: a\n    prompt: b\n ¦- name: c\n   prompt: d\n",
            "name: a\nstimuli:\n  - name: a\n    prompt: b\n  - name: c\n    prompt: d\n",
        ),
    ],
    ids=["one", "from-4-to-2", "column-0", "in-the-middle", "block", "key", "tags", "prompts", "stimuli"],
)
def test_one_finding_and_its_fix(name: str, before: str, after: str) -> None:
    head = HEADER if name == "eval.yaml" else ""
    errors = [it for it in findings_in(head + before.replace("¦", ""), name) if it.severity == "error"]
    [found] = errors
    cursor = (head + before).partition("¦")[0].count("\n") + 1
    assert (found.line, found.code, found.message) == (cursor, "syntax-error", MESSAGE)
    check_fix(head + before, head + after, name=name)


@pytest.mark.parametrize(
    ("source", "tasks"),
    [
        ("tasks:\n  - a\n - b\n", ["a", "b"]),
        ("tasks:\n    - a\n   - b\n  - c\n - d\n", ["a", "b", "c", "d"]),
        ("tasks:\n  - a\n - [b\n", ["a", ["b"]]),
        ("tasks:\n  - a\n  - b\n c: d\n", ["a", "b"]),
        ("tasks:\n  - a\n {b: 1}\n", ["a"]),
        ("tasks:\n  - a\n b\n  - c\n", ["a", "c"]),
    ],
)
def test_values_in_the_wrong_column_are_still_read(source: str, tasks: list[object]) -> None:
    tree = Tree.of(split_lines(source))
    assert tree.data() == {"tasks": tasks}
    assert len(list(tree.problems())) == 1


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ('{"name": "x", "skill": "y"}\nconfig: 1\n', "config: 1"),
        ('{"name": "x", "skill": "y"} z\n', "z"),
        ('{"name": "x",\n "skill": "y"}}\n', "}"),
    ],
)
def test_text_behind_the_bracket_that_closes_the_file(text: str, underlined: str) -> None:
    found = only_finding(text)
    assert (found.underlined, found.code) == (underlined, "syntax-error")


@pytest.mark.parametrize("end", ["%YAML 1.2\n", "%YAML 1.2", "%YAML 1.2\n\n# c\n", "%YAML 1.2\n  "])
@pytest.mark.parametrize("start", ["name: x\n", "tasks:\n  - a\n", "tasks:\n  - a: b\n  "])
def test_a_misplaced_directive_is_reported(start: str, end: str) -> None:
    lines = split_lines(start + end)
    problems = [(it.span.shift(line), it.message) for it, line in Tree.of(lines).problems()]
    assert problems
    assert all(it.start.line < len(lines) and it.start < it.end for it, _ in problems)


@pytest.mark.parametrize(
    "text",
    [
        "tasks:\n  - a\n # b\n\n",
        "tasks:\n  - [a,\n b]\n",
        'tasks:\n  - "a\n - b"\n',
        "tasks:\n  - a\n...\n",
        "tasks:\n  - |\n    a\n   # b\n",
        "tasks:\n# b\n- a\n# c\n",
    ],
)
def test_what_yaml_allows_is_no_problem(text: str) -> None:
    assert list(Tree.of(split_lines(text)).problems()) == []
