"""Property of all safe fixes: after `check --fix`, never fewer checks, and never fewer options set in them."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.fixes_harness import draft_of, findings_of
from tests.behaviour.harness import snapshot_of
from tests.behaviour.rules_harness import examples, write
from tests.slow import first_quick
from waza_engine.generate.pages import rules_with_pages
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_lsp.fixes.fixes import apply_fixes

ROOT = Path(__file__).parents[2]
PAGES = {rule.code: examples(module.__doc__ or "") for rule, module in rules_with_pages()}
SUITES = sorted((ROOT / "examples").glob("*/eval.yaml")) + sorted((ROOT / "examples").glob("*/tasks/*.yaml"))
_FIXABLE = {rule.code for rule, _ in rules_with_pages() if rule.fixable}
_MAY_GO = {
    "bad-grader-name",
    "duplicate-key",
    "legacy-shape",
    "never-applied",
    "ignored-key",
    "ignored-option",
}
"""Rules whose fixes change labels, or drop what the runner never reads."""


def _checks(data: Any) -> Iterator[tuple[str, ...]]:
    """Yield the values that the graders of a file check, each with its type's options left out of account."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "graders" and isinstance(value, list):
                for entry in value:
                    yield from _values(entry)
            else:
                yield from _checks(value)
    elif isinstance(data, list):
        for it in data:
            yield from _checks(it)


def _values(entry: Any) -> Iterator[tuple[str, ...]]:
    match entry:
        case dict():
            for key, value in entry.items():
                if key != "type":
                    yield from _values(value)
        case list():
            for it in entry:
                yield from _values(it)
        case None:
            return
        case _:
            yield (str(entry),)


def _entries(data: Any) -> int:
    if isinstance(data, dict):
        own = len(data["graders"]) if isinstance(data.get("graders"), list) else 0
        return own + sum(_entries(it) for key, it in data.items() if key != "graders")
    return sum(map(_entries, data)) if isinstance(data, list) else 0


def _after(source: str, name: str, folder: Path) -> tuple[Any, set[str], set[str]]:
    snapshot = snapshot_of(source, name, folder)
    if snapshot.form is None:
        return None, set(), set()
    end, applied = apply_fixes(
        draft_of(snapshot), snapshot.form.schema, lambda it: findings_of(snapshot.with_text(it.text, it.tree))
    )
    found = findings_of(snapshot.with_text(end.text, end.tree))
    problems = {it.finding.code for it in found if it.finding.severity in {"error", "warning"}}
    return plain(read_yaml(str(end.text))), {it.code for it in applied}, problems


def _assert_not_weaker(source: str, name: str, folder: Path) -> None:
    try:
        before = plain(read_yaml(source))
    except YamlError:
        return
    after, codes, _ = _after(source, name, folder)
    assert codes <= _FIXABLE
    if after is None or codes & _MAY_GO:
        return
    assert _entries(after) >= _entries(before), codes
    lost = sorted(set(_checks(before)) - set(_checks(after)))
    # A quoted number or a list around a value stays the same text.
    assert not [it for it in lost if "\\" not in it[0]], (codes, lost)


@pytest.mark.parametrize("code", [it for it, page in PAGES.items() if "Example" in page])
def test_no_example_of_a_rule_gets_weaker(code: str, tmp_path: Path) -> None:
    example = PAGES[code]["Example"]
    write(tmp_path / "evals", example.files)
    path = tmp_path / "evals" / example.name
    _assert_not_weaker(path.read_text("utf-8"), path.name, path.parent)


def _slips(text: str, chooser: random.Random) -> str:
    """Break one word of a grader: a key or a type loses, doubles or swaps a letter, or is written in another case."""
    lines = text.split("\n")
    starts = [at for at, it in enumerate(lines) if it.strip().startswith("graders:")]
    keys = [at for at in range(min(starts, default=len(lines)), len(lines)) if ":" in lines[at]]
    if not keys:
        return text
    at = chooser.choice(keys)
    head, colon, rest = lines[at].partition(":")
    indent = head[: len(head) - len(head.lstrip(" -"))]
    word = head[len(indent) :]
    if word == "type":
        value = rest.strip()
        lines[at] = f"{indent}type: {_broken(value, chooser)}"
    elif len(word) > 1:
        lines[at] = f"{indent}{_broken(word, chooser)}{colon}{rest}"
    return "\n".join(lines)


def _broken(word: str, chooser: random.Random) -> str:
    at = chooser.randrange(len(word) - 1)
    return chooser.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            "".join(it.title() if i else it for i, it in enumerate(word.replace("-", "_").split("_"))),
            word.replace("_", "-"),
            word + "s",
            {"regex_match": "must_match", "contains": "substring", "pattern": "regex", "text": "regexp"}.get(
                word, word
            ),
        ]
    )


@pytest.mark.parametrize("path", first_quick(SUITES, 3), ids=lambda it: f"{it.parent.name}-{it.name}")
def test_no_broken_example_suite_gets_weaker(path: Path) -> None:
    text = path.read_text("utf-8")
    for seed in range(12):
        broken = _slips(text, random.Random(seed))  # noqa: S311  # the same slips in every run
        _assert_not_weaker(broken, path.name, path.parent)


def _grader_lists(data: Any) -> Iterator[Any]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from [value] if key == "graders" else _grader_lists(value)
    elif isinstance(data, list):
        for it in data:
            yield from _grader_lists(it)


@pytest.mark.parametrize("path", first_quick(SUITES, 3), ids=lambda it: f"{it.parent.name}-{it.name}")
def test_what_is_fixed_completely_grades_every_recording_as_before(path: Path) -> None:
    """Equal graders give equal verdicts, so nothing passes that the obviously meant grader would fail."""
    text = path.read_text("utf-8")
    meant, _, usual = _after(text, path.name, path.parent)
    for seed in range(12):
        try:
            after, codes, problems = _after(_slips(text, random.Random(seed)), path.name, path.parent)  # noqa: S311
        except YamlError:
            continue
        if codes and not problems - usual:
            assert [*_grader_lists(after)] == [*_grader_lists(meant)], (seed, codes)
