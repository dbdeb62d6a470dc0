"""Wherever completion is asked for, every item that is offered can be taken.

The result is valid YAML, the key, value or list item that the label names is there, and no key is in a place where
the schema does not know it. The places are made from real suites: new lines in likely and unlikely columns,
half-typed keys, removed values, new dashes, and every place of the text as it is.
"""

import random
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.behaviour.completion_harness import Offered, offered
from tests.behaviour.harness import CURSOR
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_lsp.features.completion import Client

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [
    "tasks/one.yaml",
    "fixtures/src/app.py",
    "prompts/{a}.md",
    "checks/tidy #1.py",
    "skills/deploy/SKILL.md",
]
PROJECT = """\
paths:
  skills: skills/
defaults:
  engine: copilot-sdk
  parallel: true
tokens:
  limits:
    defaults:
      SKILL.md: 500
"""
EVERYTHING = """\
name: everything
skill: other
config:
  trials_per_task: 1
  timeout_seconds: 300
  executor: mock  # no agent
  skill_directories: [skills/deploy]
  mcp_servers:
    azure: {command: npx, args: ["-y", 'x']}
hooks:
  before_run:
  - command: make 🎉
    exit_codes: [0, 3]
graders:
  - &base
    type: text
    name: first
    config:
      contains: [a]
  - type: file
    name: "second"
    config:
      content_patterns:
        - path: a.txt
          must_match:
            - x
  - {type: program, name: third, config: {command: make}}
tasks:
  - tasks/*.yaml
"""


def sources() -> Iterator[tuple[str, str]]:
    """Names and texts of the suites."""
    yield ".waza.yaml", PROJECT
    yield "eval.yaml", EVERYTHING
    yield "eval.yaml", re.sub(r"(?m)^( *)(- )?", lambda it: it[1] * 2 + ("-   " if it[2] else ""), EVERYTHING)
    for path in sorted(EXAMPLES.glob("*/*.yaml")) + sorted(EXAMPLES.glob("*/tasks/*.yaml")):
        name = f"tasks/{path.name}" if path.parent.name == "tasks" else path.name
        yield name, path.read_text(encoding="utf-8")


class Case(NamedTuple):
    """A document with a cursor, and the valid document that it was made from."""

    name: str
    document: str
    base: str


def cases(seed: int, count: int) -> Iterator[Case]:
    """Random places of random suites."""
    dice = random.Random(seed)  # noqa: S311  # reproducible, not secret
    known = list(sources())
    makers = [_new_line, _new_line, _half_key, _no_value, _dash, _anywhere]
    for _ in range(count):
        name, text = dice.choice(known)
        made = dice.choice(makers)(dice, text.split("\n"))
        if made is not None:
            yield Case(name, *("\n".join(it) for it in made))


Made = tuple[list[str], list[str]] | None


def _new_line(dice: random.Random, lines: list[str]) -> Made:
    at = dice.randrange(len(lines))
    near = [len(it) - len(it.lstrip(" -")) for it in lines[max(0, at - 3) : at + 2] if it.strip()]
    column = max(0, dice.choice([*near, *near, *near, 0]) + dice.choice([0, 0, 0, 0, 1, 2, -1, 4]))
    return [*lines[:at], " " * column + CURSOR, *lines[at:]], lines


def _half_key(dice: random.Random, lines: list[str]) -> Made:
    at = dice.choice([i for i, it in enumerate(lines) if ":" in it])
    line = lines[at]
    key = line.partition(":")[0]
    start = len(key) - len(key.lstrip())
    has_more = line.partition(":")[2].strip()[:1] in {"", "|", ">"}
    if start == len(key) or key.lstrip().startswith(("-", "#", "{")) or has_more:
        return None
    cut = key[: dice.randrange(start + 1, len(key) + 1)]
    return [*lines[:at], cut + CURSOR, *lines[at + 1 :]], [*lines[:at], *lines[at + 1 :]]


def _no_value(dice: random.Random, lines: list[str]) -> Made:
    at = dice.choice([i for i, it in enumerate(lines) if ": " in it])
    key, _, value = lines[at].partition(": ")
    if value[:1] in {"|", ">", "{", "[", "&"} or "#" in key or "{" in key:
        return None
    rest = dice.choice(["", "", " # comment", '"', "'"])
    end = rest if rest in {'"', "'"} and dice.random() < 0.5 else ""
    quote = rest if rest in {'"', "'"} else ""
    comment = rest if rest.startswith(" #") else ""
    cursor = f"{key}: {quote}{CURSOR}{end}{comment}"
    return [*lines[:at], cursor, *lines[at + 1 :]], [*lines[:at], f"{key}:", *lines[at + 1 :]]


def _dash(dice: random.Random, lines: list[str]) -> Made:
    dashes = [i for i, it in enumerate(lines) if it.lstrip().startswith("- ")]
    if not dashes:
        return None
    at = dice.choice(dashes)
    line = lines[at]
    indent = line[: len(line) - len(line.lstrip())]
    return [*lines[:at], indent + dice.choice(["-", "- "]) + CURSOR, *lines[at:]], lines


def _anywhere(dice: random.Random, lines: list[str]) -> Made:
    at = dice.randrange(len(lines))
    column = dice.randrange(len(lines[at]) + 1)
    return [*lines[:at], lines[at][:column] + CURSOR + lines[at][column:], *lines[at + 1 :]], lines


@pytest.mark.parametrize("seed", range(8))
def test_every_item_can_be_taken(seed: int) -> None:
    taken = 0
    for case in cases(seed, 60):
        client = Client(snippets=seed % 2 == 0)
        found = offered(textwrap.dedent(case.document), case.name, files=FILES, client=client)
        for item in found.items:
            check_gained(case, found, item)
            taken += 1
    assert taken > 100


@pytest.mark.parametrize("seed", range(4))
def test_whatever_stands_there_edits_stay_on_the_line(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  # reproducible, not secret
    fragments = [
        "\t",
        "- ",
        ": ",
        "[",
        "{",
        "}",
        '"',
        "'",
        "|\n",
        "\n",
        "\r\n",
        "#",
        "*",
        "<<: *base",
        "---\n",
        "? ",
        "🎉",
    ]
    known = list(sources())
    for _ in range(150):
        name, text = dice.choice(known)
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(text) + 1)
            text = text[:at] + dice.choice(fragments) + text[at + dice.choice([0, 0, 1, 20]) :]
        at = dice.randrange(len(text) + 1)
        found = offered(text[:at] + CURSOR + text[at:], name, files=FILES)
        for item in found.items:
            found.applied(item)


def check_gained(case: Case, found: Offered, item: Any) -> None:
    """The result of taking an item has what the base document has, and what the label says."""
    result = found.applied(item)
    shown = f"\n{case.document}\n--- after '{item.label}' ---\n{result}"
    try:
        data = yaml.load(result, yaml.CBaseLoader)  # noqa: S506  # BaseLoader makes texts only
    except yaml.YAMLError as error:
        raise AssertionError(f"{error}{shown}") from error
    base = yaml.load(case.base, yaml.CBaseLoader)  # noqa: S506  # BaseLoader makes texts only
    before, after = Counter(_things(base)), Counter(_things(data))
    label = item.label.removeprefix("- ").partition(": ")[-1 if ": " in item.label else 0]
    gained = after - before
    assert gained or _is_there(found, item), f"nothing gained{shown}"
    if item.kind.name in {"Property", "Value", "File", "Folder"}:
        assert after[label] >= before[label] + (0 if _is_there(found, item) else 1), (
            f"'{label}' is missing{shown}"
        )
    if item.kind.name == "Value" or item.label in {"type", item.text_edit.new_text}:
        return  # Another type, or another key in front of a value, makes what is below foreign.
    checker = found.snapshot.form.checker if found.snapshot.form else None
    assert checker is not None
    unknown = [it.message for it in checker.check(data) if it.rule is UNKNOWN_KEY]
    known_before = [it.message for it in checker.check(base) if it.rule is UNKNOWN_KEY]
    assert len(unknown) <= len(known_before), f"{unknown}{shown}"


def _is_there(found: Offered, item: Any) -> bool:
    """Whether the item is what the cursor's token says already."""
    line = found.snapshot.text.line(found.cursor.line)
    return str(item.label).removeprefix("- ") in line


def _things(data: Any) -> Iterator[str]:
    """Every key and every scalar of a document, and one thing for each list item."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from _things(value)
    elif isinstance(data, list):
        for it in data:
            yield "-"
            yield from _things(it)
    else:
        yield str(data)
