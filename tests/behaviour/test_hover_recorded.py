"""What hover tells of recorded runs: matches of patterns, outcomes of assertions."""

import json
from pathlib import Path

from tests.behaviour.suite_harness import EVAL, SUITE, TASK, Place, at
from waza_engine.recalled import Recollections
from waza_lsp.suite.around import Around

PATTERNS = """\
graders:
  - type: text
    name: words
    config:
      regex_match: ['(?i)hello,? (\\w+)', 'bye', '[']
  - type: file
    name: files
    config:
      content_patterns:
        - path: notes.md
          must_match: ['^# \\w+']
  - type: tool_calls
    name: tools
    config:
      expect:
        - tool: '^(bash|edit)$'
"""


def _recording(task: str, output: str) -> str:
    return json.dumps(
        {
            "version": 1,
            "task": task,
            "model": "gpt-5.2",
            "output": output,
            "session": {"tools_used": ["view", "bash"]},
            "files": {"notes.md": "# Notes\nmore"},
        }
    )


RECORDED = {
    **SUITE,
    "evals/eval.yaml": EVAL.partition("graders:")[0] + PATTERNS + 'tasks:\n  - "tasks/*.yaml"\n',
    "evals/tasks/a.yaml": TASK.partition("graders:")[0] + PATTERNS,
    "evals/recordings/first.json": _recording("first", "So: hello, World!\nAnd more"),
    "evals/recordings/second.json": _recording("second", "nothing"),
}


def _with_recordings(place: Place) -> Place:
    known = Recollections()
    old = place.around
    place.around = Around(old.process_dir, old.files, old.opened, old.listed, recalled=known.of)
    return place


def test_a_pattern_shows_its_match_in_the_last_output(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "(?i)hel¦lo", RECORDED))
    assert "Found in the last recorded output of `first`: So: `hello, World`!" in place.hovered()


def test_a_pattern_without_a_match_says_so(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "'b¦ye'", RECORDED))
    assert "Not found in the last recorded output of `first`." in place.hovered()


def test_in_the_eval_all_tasks_count(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/eval.yaml", "(?i)hel¦lo", RECORDED))
    assert (
        "Found in the last recorded output of 1 of 2 tasks.\n\n- `first`: So: `hello, World`!"
        in place.hovered()
    )


def test_a_broken_pattern_matches_nothing(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "'[¦'", RECORDED))
    assert "ecorded" not in place.hovered()


def test_a_pattern_for_a_file_is_held_against_that_file(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "'^#¦ \\w+'", RECORDED))
    assert "Found in the last recorded `notes.md` of `first`: `# Notes`" in place.hovered()


def test_a_pattern_for_tools_is_held_against_the_tools(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "'^(ba¦sh|edit)$'", RECORDED))
    assert "Found in the last recorded tools of `first`: `bash`" in place.hovered()


def test_without_recordings_nothing_is_said(tmp_path: Path) -> None:
    files = {name: text for name, text in RECORDED.items() if "recordings" not in name}
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "(?i)hel¦lo", files))
    assert "ecorded" not in place.hovered()
