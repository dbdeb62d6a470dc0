"""Tests that the page on converting lists all keys and grader types, as they are converted."""

import random
from collections.abc import Iterator
from pathlib import Path

from tests.engine.convert.realistic_suites import DOMAINS, vally_graders, waza_graders
from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.convert.graders.entries import load_grader
from waza_engine.convert.graders.to_vally import as_vally
from waza_engine.convert.graders.to_waza import as_waza
from waza_engine.convert.keys import SUITE_KEYS, TASK_KEYS, SameKey
from waza_engine.lib.pointer import Pointer
from waza_engine.model.suite import GraderEntry

PAGE = (Path(__file__).parents[3] / "docs" / "convert.md").read_text(encoding="utf-8")
KEPT = "kept in a comment"


def dotted(pointer: Pointer, above: str) -> str:
    return f"`{above}{'.'.join(map(str, pointer))}`".replace(".*.", "[].")


def key_rows() -> Iterator[str]:
    for keys, vally, waza in ((SUITE_KEYS, "", ""), (TASK_KEYS, "stimuli[].", "task: ")):
        yield from (_row(it, vally, waza) for it in keys)


def _row(it: SameKey, vally: str, waza: str) -> str:
    return f"| {dotted(it.vally, vally)} | {waza}{dotted(it.waza, '')} | {it.note} |".replace("|  |", "| |")


def grader_rows() -> Iterator[str]:
    """What each type became in samples of its options."""
    for dialect, makers in (("vally", vally_graders), ("waza", waza_graders)):
        for kind in sorted(makers(DOMAINS[0])):
            if kind == "acme-accessibility":
                continue
            made: dict[str, None] = {}
            for seed in range(40):
                chance = random.Random(seed)  # noqa: S311  # which options are tried is no secret
                config = makers(DOMAINS[seed % len(DOMAINS)])[kind](chance)
                made |= dict.fromkeys(became(GraderEntry(kind, "g", config=config, dialect=dialect)))
            listed = sorted(it for it in made if it != KEPT)
            words = ", ".join(f"`{it}`" for it in listed) + (
                f"; some options are {KEPT}" if KEPT in made else ""
            )
            yield f"| {dialect} `{kind}` | {words if listed else KEPT} |"


def became(entry: GraderEntry) -> list[str]:
    try:
        grader = load_grader(entry)
        if entry.dialect == "waza":
            return [it.grader.type_name for it in as_vally(grader)]
        return [it.type_name for it in as_waza(grader, [entry.config.get("path", "")])]
    except NotConvertibleError:
        return [KEPT]


def test_the_page_lists_every_key() -> None:
    assert [it for it in key_rows() if it not in PAGE] == []


def test_the_page_lists_what_every_grader_type_becomes() -> None:
    assert [it for it in grader_rows() if it not in PAGE] == []
