"""The suite that the helper loads after edits equals one that is loaded from nothing, and shares what has not changed."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slow import examples
from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.reading import reading_open_texts
from waza_engine.runs.planning.plan import PlanError
from waza_engine.runs.recordings.regrade import plan_for_grading
from waza_lsp.server.helper.process.documents import take_changes
from waza_lsp.server.helper.process.suites import BrokenError, whole_suite_of
from waza_lsp.server.helper.questions import About

HEAD = [
    "name: many",
    "skill: s",
    "config:",
    "  executor: mock",
    "  model: m",
    "  trials_per_task: 1",
    "  timeout_seconds: 60",
]
GRADERS = [
    "graders:",
    "  - {type: text, name: every, config: {contains: [a]}}",
    "  - type: behavior",
    "    name: few",
]
EDITS = {
    "  executor: mock": "  executor: copilot-sdk",
    "name: many": "name: other",
    "    name: few": "    name: fewer",
    "      prompt: Say it": "      prompt: Say more",
    "      - {type: text, name: own, config: {contains: [b]}}": "      - {type: text, name: own, ref: shared}",
    "    tags: [x]": "    tags: [y, z]",
    "    enabled: true": "    enabled: false",
    "      - {after_turn: 1, graders: [{type: text, name: c, config: {contains: [c]}}]}": "      - {after_turn: 1}",
    "    unknown_word: 1": "    unknown_word: 2",
}
"""Lines that an edit replaces, back and forth."""


def _task(id_: str) -> list[str]:
    return [
        f"  - id: {id_}",
        f"    name: {id_}",
        "    tags: [x]",
        "    enabled: true",
        "    inputs:",
        "      prompt: Say it",
        "    graders:",
        "      - {type: text, name: own, config: {contains: [b]}}",
        "    checkpoints:",
        "      - {after_turn: 1, graders: [{type: text, name: c, config: {contains: [c]}}]}",
    ]


def _texts(chance: random.Random, count: int) -> Iterator[str]:
    """Yield texts of an eval, each made by one edit of the one before."""
    tasks = [_task(f"t{number}") for number in range(4)]
    head, graders, back = [*HEAD], [*GRADERS], {new: old for old, new in EDITS.items()}
    for number in range(count):
        yield "\n".join([*head, *graders, "tasks:", *(line for it in tasks for line in it)]) + "\n"
        match chance.randrange(6):
            case 0:
                tasks.insert(chance.randrange(len(tasks) + 1), _task(f"n{number}"))
            case 1 if len(tasks) > 1:
                tasks.pop(chance.randrange(len(tasks)))
            case 2:
                tasks.insert(0, ["  -"])
            case _:
                lines = chance.choice([head, graders, *tasks])
                at = chance.randrange(len(lines))
                lines[at] = EDITS.get(lines[at]) or back.get(lines[at], lines[at])


def _by_edits(about: About) -> Suite | str:
    try:
        return whole_suite_of(about).plan.suite
    except BrokenError as error:
        return str(error)


def _from_nothing(path: Path, text: str) -> Suite | str:
    with reading_open_texts({path: text}):
        try:
            return plan_for_grading(path, path.parent).suite
        except (LoadError, PlanError) as error:
            return str(error)


def _edit(before: str | None, after: str) -> dict[str, object]:
    """Return the change from one text to another as the server sends it, in whole lines."""
    if before is None:
        return {"text": after}
    old, new = before.split("\n"), after.split("\n")
    first = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
    span = ((first, 0), (len(old) - 1, len(old[-1])))
    return {"edit": {"span": span, "text": "\n".join(new[first:])}}


@pytest.mark.parametrize("seed", range(examples(20)))
def test_a_suite_after_edits_is_that_of_a_fresh_start(tmp_path: Path, seed: int) -> None:
    path, before, about = (
        tmp_path / "eval.yaml",
        None,
        About(str(tmp_path / "eval.yaml"), str(tmp_path / "eval.yaml"), str(tmp_path), "waza"),
    )
    for version, text in enumerate(_texts(random.Random(seed), 25)):  # noqa: S311  # not for secrets
        take_changes([{"path": str(path), "version": version, **_edit(before, text)}], version)
        assert _by_edits(about) == _from_nothing(path, text), text
        before = text
    take_changes([{"path": str(path)}], 0)


def test_an_edit_builds_only_the_task_that_it_touches(tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    about = About(str(path), str(path), str(tmp_path), "waza")
    text = (
        "\n".join([*HEAD, *GRADERS, "tasks:", *(line for it in ("a", "b", "c") for line in _task(it))]) + "\n"
    )
    take_changes([{"path": str(path), "version": 0, "text": text}], 0)
    before = whole_suite_of(about).plan.suite
    edited = text.replace("name: b", "name: other")
    take_changes([{"path": str(path), "version": 1, **_edit(text, edited)}], 0)
    after = whole_suite_of(about).plan.suite
    take_changes([{"path": str(path)}], 0)
    assert [it.name for it in after.tasks] == ["a", "other", "c"]
    assert [one is other for one, other in zip(before.tasks, after.tasks, strict=True)] == [True, False, True]
    assert [one is other for one, other in zip(before.graders, after.graders, strict=True)] == [True, True]
