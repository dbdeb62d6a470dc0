"""A grader that judges the same work differently has a finding, and its task a lens and a hover that say so."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.server.results_harness import editor, until
from waza_lsp.cli import main

VALLY = """\
name: e
type: capability
defaults: {executor: mock, runs: 2}
stimuli:
  - name: one  # waza-lsp: quarantine see issue 12
    prompt: say one
    graders:
      - {type: output-contains, config: {substring: one}}
      - type: run-command
        config: {command: "n=$(cat COUNT); echo $((n + 1)) > COUNT; test $((n % 3)) -gt 0"}
"""


def run(*arguments: str) -> None:
    done = CliRunner().invoke(main, ["run", "eval.yaml", *arguments], catch_exceptions=False)
    assert done.exit_code in {0, 1}, done.output


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An eval with a run and two replays of it. No test can run them: it has an event loop of its own."""
    (tmp_path / "COUNT").write_text("1")
    found = tmp_path / "eval.yaml"
    found.write_text(VALLY.replace("COUNT", str(tmp_path / "COUNT")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run()
    run("--replay-from", "last")
    run("--replay-from", "last")
    return found


async def test_a_flaky_grader_has_a_finding(tmp_path: Path, path: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(path)
        await it.lenses_with("flaky grader: run-command · in quarantine")
        message = await it.says("flaky-grader", "run-command")
        assert message[2].startswith("Flaky grader.\none: run-command (run-command) flips ")
        assert "on the same work" in message[2]
        line = next(number for number, text in enumerate(it.text.splitlines()) if "name: one" in text)
        shown = await it.hover(line, 0)
        assert "In quarantine: see issue 12" in shown
        assert "flips" in shown
        # The table at the number of trials assumes what these runs have shown.
        assert "(from recorded trials)" in await it.hover(2, it.text.splitlines()[2].index("runs"))
        # Who edits the grader has another one.
        it.replace("type: run-command", "type: run-program")
        await until(lambda: not [code for code, *_ in it.said() if code == "flaky-grader"])
