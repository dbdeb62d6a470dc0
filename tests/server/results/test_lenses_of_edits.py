"""An edited document has the lenses of a fresh open of the same text, whatever it was before."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.results.test_lenses import run_outside
from tests.server.results_harness import Editor, editor

EVAL = """\
name: one
config:
  executor: mock
stimuli:
  - name: first
    prompt: hello
  - name: second
    prompt: world
"""
PIECES = (
    *('"', "'", "[", "{", "]", "}", "| \n", '"open\n', "- ", "  ", "\n", "#", ": ", "&a ", "*a ", "\t", "é"),
    *("id: other\n", "name: other\n", "tasks:\n", "on: push\njobs: {}\n", "---\n", "graders: [\n"),
)


async def _lenses(it: Editor) -> list[Any]:
    document = types.TextDocumentIdentifier(it.uri)
    found = await it.client.text_document_code_lens_async(types.CodeLensParams(document))
    return [(lens.range.start.line, lens.command and lens.command.title) for lens in found or ()]


def _edit(it: Editor, chance: random.Random) -> None:
    lines = it.text.split("\n")
    line = chance.randrange(len(lines))
    column = chance.randrange(len(lines[line]) + 1)
    last = min(len(lines) - 1, line + chance.choice((0, 0, 0, 1, 3)))
    end = len(lines[last]) if last > line else column
    new = chance.choice(PIECES) if last == line or chance.random() < 0.3 else ""
    it.change(types.Range(types.Position(line, column), types.Position(last, end)), new)


async def _agree(edited: Editor, fresh: Editor) -> None:
    """Compare the lenses. The eval of a file that was opened again is found in the background."""
    found: list[Any] = []
    expected: list[Any] = []
    for _ in range(20):
        found, expected = await _lenses(edited), await _lenses(fresh)
        if found == expected:
            return
        await asyncio.sleep(0.1)
    assert found == expected, edited.text


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("eval.yaml", 1),
        *(
            pytest.param(name, seed, marks=pytest.mark.slow)
            for name in ("eval.yaml", "tasks/explain-retry.yaml", "vally.eval.yaml")
            for seed in (2, 3)
        ),
    ],
)
async def test_edits_leave_no_lens_behind(tmp_path: Path, suite: Path, name: str, seed: int) -> None:
    (suite / "vally.eval.yaml").write_text(EVAL, encoding="utf-8")
    run_outside(tmp_path, suite / "eval.yaml")
    chance, original = random.Random(seed), (suite / name).read_text(encoding="utf-8")  # noqa: S311  # a test
    async with editor(tmp_path) as edited, editor(tmp_path) as fresh:
        for it in (edited, fresh):
            it.open(suite / "eval.yaml")
            await it.lenses_with("✓")
            it.open(suite / name)
            await it.lenses_with("✓" if "vally" not in name else "Run")
        for number in range(30):
            _edit(edited, chance)
            fresh.close()
            fresh.open(suite / name, edited.text)
            text = edited.text
            await _agree(edited, fresh)
            if number % 10 == 9:
                edited.replace(text, original)
        assert any("Run" in str(title) for _, title in await _lenses(edited))


async def test_a_renamed_task_in_a_broken_text_has_one_lens(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / "explain-retry.yaml")
        await it.lenses_with("Run task")
        it.replace("id: explain-retry\n", "id: explain-retry\ntags2: [\n")
        it.replace("id: explain-retry\n", "id: renamed\n")
        assert await it.lenses() == ["▶ Run task"]


async def test_a_task_deleted_from_a_broken_text_has_no_lens(tmp_path: Path, suite: Path) -> None:
    path = suite / "vally.eval.yaml"
    path.write_text(EVAL, encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(path)
        count = len(await it.lenses_with("Run task"))
        it.replace("config:\n", "config: [\n")
        it.replace("  - name: second\n    prompt: world\n", "")
        assert len(await it.lenses()) == count - 1
