"""Files that are regular, and hold what no reader expects: deep, long, many, not text, not what the name says."""

import sys

import pytest

from tests.hostility.bait import Victim
from tests.hostility.test_foreign_files import CHECK, GRADERS, REPLAY, RUN, TASK, bounded
from tests.slow import examples, first_quick, some_pairs
from waza_engine.lib.files.gitignore import ignore_spec
from waza_engine.lib.go import regexp
from waza_engine.lib.go.glob import BadPattern, glob

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
CONTENTS = {
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000,
    "deep flow": b"a: " + b"[" * 100_000 + b"]" * 100_000,
    "deep blocks": b"".join(b" " * n + b"a:\n" for n in range(2_000)),
    "a huge number": b'{"version": 1' + b"0" * 100_000 + b"}",
    "numbers that are none": b'{"version": 1e99999, "x": NaN, "y": -Infinity}',
    "NUL bytes": b"name: a\x00b\n" * 10 + b"\x00" * 100_000,
    "bytes that are no UTF-8": b'{"a": "\xff\xfe\xed\xa0\x80"}',
    "UTF-16": "name: x\n".encode("utf-16"),
    "only a byte order mark": b"\xef\xbb\xbf",
    "half a character": b'{"name": "\\ud800", "output": "\\ud800", "id": "\\udfff"}',
    "a million lines": b"a: b\n" * 1_000_000,
    "a million empty lines": b"\n" * 1_000_000,
    "a line of 20 MB": b"a" * 20_000_000,
    "a cell of 20 MB": b'"' + b"a," * 10_000_000,
    "aliases that grow": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (it, it, b",".join([b"*%c" % (it - 1)] * 9)) for it in range(98, 110)),
    "nothing": b"",
    "a list": b"[1, 2, 3]",
    "a null": b"null",
    "carriage returns": b"a: b\r" * 10_000,
}
GRADE = ("grade", "--graders", "graders.yaml", "--context", "context.json")
PLACES = {
    "eval.yaml": CHECK,
    "tasks/two.yaml": RUN,
    ".waza-lsp.toml": CHECK,
    ".gitignore": CHECK,
    ".waza.yaml": RUN,
    ".vally.yaml": CHECK,
    "package.json": CHECK,
    "pnpm-lock.yaml": CHECK,
    "trigger_tests.yaml": RUN,
    "SKILL.md": CHECK,
    "data.csv": RUN,
    "rubric.md": RUN,
    "schema.json": CHECK,
    "recordings/one-1.json": REPLAY,
    "results.json": ("report", "results.json"),
    "results.jsonl": ("report", "results.jsonl"),
    "context.json": GRADE,
    "graders.yaml": GRADE,
    ".waza-lsp/runs.sqlite3": ("runs", "list"),
    ".waza-lsp/reviews.jsonl": ("report",),
    ".waza-lsp/judgements.jsonl": ("judge", "show", "eval.yaml"),
    "recordings/judged/verdicts.jsonl": ("judge", "check", "eval.yaml", "--no-ask"),
}


@pytest.mark.parametrize(
    ("place", "content"), first_quick(some_pairs(PLACES, CONTENTS, every=200 // examples(100)), 2)
)
def test_no_content_stalls_or_fills_the_memory(place: str, content: str, victim: Victim) -> None:
    """Class: regular files that their reader does not expect."""
    victim.write_suite(graders=GRADERS, task=TASK)
    if place == "data.csv":
        text = victim.eval_file.read_text(encoding="utf-8")
        victim.eval_file.write_text(
            text.replace("tasks: ['tasks/*.yaml']", "tasks_from: data.csv"), encoding="utf-8"
        )
    (victim.workspace / "graders.yaml").write_text("- {type: text, name: t}\n", encoding="utf-8")
    (victim.workspace / "context.json").write_text('{"output": "a"}', encoding="utf-8")
    path = victim.workspace / place
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(CONTENTS[content])
    bounded(victim, *PLACES[place])


@pytest.mark.slow
def test_a_pattern_below_links_in_a_circle_ends(victim: Victim) -> None:
    """Class: globs that double with each level."""
    folder = victim.workspace / "many"
    folder.mkdir()
    for name in "abcdef":
        (folder / name).symlink_to(".")
    with pytest.raises(BadPattern, match="visits more than"):
        glob("many/" + "*/" * 30 + "x", victim.workspace)
    text = victim.eval_file.read_text(encoding="utf-8").replace("tasks/*.yaml", "many/" + "*/" * 30 + "*")
    victim.eval_file.write_text(text, encoding="utf-8")
    assert bounded(victim, "check").returncode in {0, 1}
    assert bounded(victim, "run", "eval.yaml").returncode == 2


@pytest.mark.slow
def test_a_dataset_of_a_million_rows_is_an_error_line(victim: Victim) -> None:
    """Class: many tasks in a small file."""
    text = victim.eval_file.read_text(encoding="utf-8")
    victim.eval_file.write_text(
        text.replace("tasks: ['tasks/*.yaml']", "tasks_from: data.csv"), encoding="utf-8"
    )
    (victim.workspace / "data.csv").write_text("prompt\n" + "a\n" * 1_000_000, encoding="utf-8")
    assert "more than 100,000 rows" in bounded(victim, "run", "eval.yaml").stderr


def test_ignore_files_are_bounded() -> None:
    """Class: patterns that are slow to compile."""
    spec = ignore_spec(["[" * 200_000, "*a" * 400 + "b", "good", *["x"] * 200_000])
    assert spec.match_file("good")
    assert not spec.match_file("a" * 250)


def test_patterns_with_huge_programs_are_not_all_kept() -> None:
    """Class: patterns whose compiled form is a million times their length."""
    for number in range(4):
        assert regexp.regex_error(rf"\pL{{{400 - number}}}") is None
    compiled = list(regexp._compiled.values())
    assert sum(map(regexp._instructions, compiled)) <= regexp._MAX_INSTRUCTIONS
