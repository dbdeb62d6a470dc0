"""At any position, every completion item can be accepted.

The result is valid YAML, the key, value or list item that the label names is there, and no key is in a place where
the schema does not know it. The places are made from real suites: new lines in likely and unlikely columns,
half-typed keys, removed values, new dashes, and every place of the text as it is.
"""

import random
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.behaviour.completion_harness import Completions, completions_at
from tests.behaviour.harness import CURSOR
from tests.slow import first_quick
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_lsp.features.completion import CompletionClient
from waza_lsp.syntax.text import split_lines
from waza_lsp.syntax.tree.tree import Tree

SEEDS, PLACES = 10, 100
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
    """Return the names and texts of the suites."""
    yield ".waza.yaml", PROJECT
    yield "eval.yaml", EVERYTHING
    yield "eval.yaml", re.sub(r"(?m)^( *)(- )?", lambda it: it[1] * 2 + ("-   " if it[2] else ""), EVERYTHING)
    for path in sorted(EXAMPLES.glob("*/*.yaml")) + sorted(EXAMPLES.glob("*/tasks/*.yaml")):
        name = f"tasks/{path.name}" if path.parent.name == "tasks" else path.name
        yield name, path.read_text(encoding="utf-8")


@cache
def written() -> tuple[tuple[str, str], ...]:
    """Return the suites in several styles: indentation, dashes, quotes, brackets."""
    plain = list(sources())
    others = [
        (name, text)
        for name, source in plain
        for it in WAYS
        if (text := yaml.dump(yaml.safe_load(source), Dumper=it, sort_keys=False, allow_unicode=True))
    ]
    return (*plain, *others)


class _Indented(yaml.SafeDumper):
    """Style: indented dashes, steps of 3."""

    def __init__(self, *more: Any, **options: Any) -> None:
        super().__init__(*more, **{**options, "indent": 3, "width": 1000})

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


class _Flush(yaml.SafeDumper):
    """Style: dashes in the column of the key, steps of 4, strings in double quotes."""

    def __init__(self, *more: Any, **options: Any) -> None:
        super().__init__(*more, **{**options, "indent": 4, "width": 1000, "default_style": '"'})


class _Brackets(yaml.SafeDumper):
    """Style: innermost maps and lists in brackets, strings in single quotes."""

    def __init__(self, *more: Any, **options: Any) -> None:
        super().__init__(
            *more, **{**options, "default_flow_style": None, "default_style": "'", "width": 1000}
        )


WAYS = (_Indented, _Flush, _Brackets)


class Case(NamedTuple):
    """A document with a cursor, and the valid document that it was made from."""

    name: str
    document: str
    base: str


def cases(seed: int, count: int) -> Iterator[Case]:
    """Yield random positions in random suites."""
    dice = random.Random(seed)  # noqa: S311  # reproducible, not secret
    known = written()
    makers = [_new_line, _new_line, _half_key, _no_value, _dash, _anywhere, _in_brackets, _dropped]
    for _ in range(count):
        name, text = dice.choice(known)
        made = dice.choice(makers)(dice, text.split("\n"))
        if made is not None and _is_sound("\n".join(made[1])):
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


def _in_brackets(dice: random.Random, lines: list[str]) -> Made:
    """Add a new member at the start or the end of brackets."""
    places = [(i, at) for i, it in enumerate(lines) for at, mark in enumerate(it) if mark in "[]{}"]
    places = [(i, at) for i, at in places if not set(lines[i][:at]) & set("#\"'") and ": |" not in lines[i]]
    if not places:
        return None
    i, at = dice.choice(places)
    line, is_open = lines[i], lines[i][at] in "[{"
    follows = line[at + 1 : at + 2] not in {"]", "}", ""}
    if is_open:
        new = line[: at + 1] + CURSOR + (", " if follows else "") + line[at + 1 :]
    else:
        new = line[:at] + (", " if line[at - 1] not in "[{" else "") + CURSOR + line[at:]
    return [*lines[:i], new, *lines[i + 1 :]], lines


def _dropped(dice: random.Random, lines: list[str]) -> Made:
    """Remove lines and put the cursor in their place."""
    at = dice.randrange(len(lines))
    count = dice.choice([1, 1, 2, 3])
    indent = " " * (len(lines[at]) - len(lines[at].lstrip(" -")))
    rest = [*lines[:at], *lines[at + count :]]
    return [*lines[:at], indent + CURSOR, *lines[at + count :]], rest


def _is_sound(text: str) -> bool:
    """Whether a text is valid and has no duplicate keys."""
    try:
        return all(_keys(yaml.compose(text, yaml.CSafeLoader)))
    except yaml.YAMLError:
        return False


def _keys(node: Any) -> Iterator[bool]:
    """Yield for each map whether its keys are unique."""
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        yield len(set(names)) == len(names)
        for _, value in node.value:
            yield from _keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _keys(value)


@pytest.mark.parametrize("seed", first_quick(range(SEEDS)))
def test_every_item_can_be_taken(seed: int) -> None:
    taken = 0
    for case in cases(seed, PLACES):
        client = CompletionClient(snippets=seed % 2 == 0)
        line_end = "\r\n" if seed % 3 == 0 else "\n"
        found = completions_at(
            textwrap.dedent(case.document), case.name, files=FILES, client=client, line_end=line_end
        )
        for item in found.items:
            check_gained(case, found, item)
            taken += 1
    assert taken > 100


FRAGMENTS = [
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
    "&a ",
    "!t ",
    "key: ",
]


@pytest.mark.parametrize("seed", first_quick(range(8), 2))
def test_in_broken_text_items_break_nothing_more(seed: int) -> None:
    """Check that edits stay on the line and contain the cursor, and that the text gets no new problems."""
    dice = random.Random(seed)  # noqa: S311  # reproducible, not secret
    known = written()
    for _ in range(100):
        name, text = dice.choice(known)
        at = 0
        for _ in range(dice.randrange(1, 4)):
            at, fragment = dice.randrange(len(text) + 1), dice.choice(FRAGMENTS)
            if "\n" in fragment:
                # Within a text it would only make one of two lines.
                at = max(0, text.find("\n", at))
            text = text[:at] + fragment + text[at + dice.choice([0, 0, 1, 20]) :]
        cursor = min(len(text), max(0, at + dice.randrange(-60, 60)))
        cursor -= text[cursor - 1 : cursor + 1] == "\r\n"
        found = completions_at(text[:cursor] + CURSOR + text[cursor:], name, files=FILES)
        before = _problem_count(text)
        for item in found.items:
            after = _problem_count(found.applied(item))
            # A text that goes on in the next line is taken for one that is not closed yet.
            edit = item.text_edit
            closes = edit is not None and edit.new_text.endswith(('"', "'"))
            assert after <= before + closes, f"{text[:cursor]}{CURSOR}{text[cursor:]}\n--- '{item.label}'"


def _problem_count(text: str) -> int:
    return len(list(Tree.of(split_lines(text)).problems()))


def check_gained(case: Case, found: Completions, item: Any) -> None:
    """Check that accepting an item keeps the data of the base document and adds what the label says."""
    result = found.applied(item)
    if found.snapshot.text.line_end == "\r\n":
        assert "\n" not in result.replace("\r\n", "")
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


def _is_there(found: Completions, item: Any) -> bool:
    """Whether the item equals the token at the cursor."""
    line = found.snapshot.text.line(found.cursor.line)
    return str(item.label).removeprefix("- ") in line


def _things(data: Any) -> Iterator[str]:
    """Yield every key and scalar of a document, and one marker per list item."""
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
