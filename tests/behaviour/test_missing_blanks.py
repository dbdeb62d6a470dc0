"""A missing space after a colon or a dash: one finding, whose fix inserts it."""

import pytest

from tests.behaviour.findings_harness import findings_in
from tests.behaviour.fixes_harness import check_fix

START = "name: x\nskill: y\ntasks: [a]\n"
CONFIG = "config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}\n"


@pytest.mark.parametrize(
    ("before", "after", "underlined"),
    [
        pytest.param(
            "graders:\n  - {ty¦pe:text, name: a, config: {contains: [a]}}\n",
            "graders:\n  - {type: text, name: a, config: {contains: [a]}}\n",
            "type:text",
            id="type-in-brackets",
        ),
        pytest.param(
            "graders:\n  - {type: text, na¦me:a, config: {contains: [a]}}\n",
            "graders:\n  - {type: text, name: a, config: {contains: [a]}}\n",
            "name:a",
            id="name-in-brackets",
        ),
        pytest.param(
            "graders: [{type: text, name: a, con¦fig:{contains: [a]}}]\n",
            "graders: [{type: text, name: a, config: {contains: [a]}}]\n",
            "config:",
            id="bracket-in-brackets",
        ),
        pytest.param(
            "graders:\n  - type: text\n    name: a\n    con¦fig:{contains: [a]}\n",
            "graders:\n  - type: text\n    name: a\n    config: {contains: [a]}\n",
            "config:{contains: [a]}",
            id="bracket",
        ),
        pytest.param(
            "graders:\n  - type: text\n    con¦fig:{contains: [a]}\n    name: a\n",
            "graders:\n  - type: text\n    config: {contains: [a]}\n    name: a\n",
            "config:{contains: [a]}",
            id="bracket-in-the-middle",
        ),
        pytest.param(
            "graders:\n  ¦-{type: text, name: a, config: {contains: [a]}}\n",
            "graders:\n  - {type: text, name: a, config: {contains: [a]}}\n",
            "-{type: text, name: a, config: {contains: [a]}}",
            id="dash",
        ),
        pytest.param(
            "graders:\n  ¦-{type: text, name: a, config: {contains: [a]}}\n  -{type: text, name: b, config: {contains: [b]}}\n",
            "graders:\n  - {type: text, name: a, config: {contains: [a]}}\n  - {type: text, name: b, config: {contains: [b]}}\n",
            "-{type: text, name: a, config: {contains: [a]}}",
            id="dashes",
        ),
    ],
)
def test_one_finding_and_its_fix(before: str, after: str, underlined: str) -> None:
    start = START + CONFIG
    [found] = findings_in(start + before.replace("¦", ""))
    assert found.underlined == underlined
    assert "missing space after '" in found.message.lower()
    check_fix(start + before, start + after, "Add the missing space")
    assert findings_in(start + after) == []


@pytest.mark.parametrize(
    ("key", "glued", "underlined"),
    [
        ("tasks", "  -a\n  -b\n", "-a\n  -b"),
        ("tasks", "  -a\n", "-a"),
        ("config", "  trials_per_task:1\n  timeout_seconds:60\n", "trials_per_task:1\n  timeout_seconds:60"),
    ],
)
@pytest.mark.parametrize("line", [0, -1])
def test_everything_glued_is_one_finding_with_one_fix(
    key: str, glued: str, underlined: str, line: int
) -> None:
    start = "name: x\nskill: y\n"
    source = start + f"{key}:\n{glued}"
    [found] = [it for it in findings_in(source) if it.code == "wrong-type"]
    assert found.underlined == underlined
    lines = glued.splitlines(keepends=True)
    lines[line] = lines[line].replace("\n", "¦\n")
    after = glued.replace("-", "- ").replace(":", ": ")
    check_fix(start + f"{key}:\n" + "".join(lines), start + f"{key}:\n{after}", "Add the missing space")


def test_the_keys_of_a_block_are_fixed_together() -> None:
    config = "config:\n  trials_per_task: 1\n  ¦timeout_seconds:60\n\n  mcp_servers:\n    a:\n      command:b\n  model:x\n  executor:mock\n"
    check_fix(
        START + config,
        START
        + "config:\n  trials_per_task: 1\n  timeout_seconds: 60\n\n  mcp_servers:\n    a:\n      command:b\n  model: x\n  executor: mock\n",
        "Add the missing space",
    )


@pytest.mark.parametrize("line", ["config:{executor: mock}", "config:[a] b", "confg:{executor: mock}"])
def test_a_glued_key_of_the_top_level_is_one_mistake(line: str) -> None:
    found = [it for it in findings_in(START + line + "\n") if it.line == 4]
    assert [it.code for it in found] == ["syntax-error"]


def test_a_text_with_a_colon_is_no_key() -> None:
    assert findings_in(START + CONFIG + "description: a:{b} c:[d]\n") == []
