"""Hover facts from recorded runs: pattern matches, results of assertions, failed checks."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.behaviour.suite_harness import EVAL, SUITE, TASK, Place, at
from waza_engine.runs.recordings.preview import recording_previews
from waza_lsp.features.hover import HoverNotes, hover
from waza_lsp.syntax.text import Span
from waza_lsp.workspace.hover_facts import CheckFailure
from waza_lsp.workspace.workspace import WorkspaceFiles

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
    old = place.workspace
    place.workspace = WorkspaceFiles(
        old.process_dir,
        old.files,
        old.open_snapshot,
        old.list_files,
        recordings=partial(recording_previews, old.files),
    )
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


def _failed(
    place: Place, message: str, *, task: str = "first", excerpt: str = "", other: bool = False
) -> CheckFailure:
    where = place.snapshot.place(place.position)
    return CheckFailure(Span(where, where), task, message, excerpt, other)


def test_the_lines_of_a_failed_check_come_first_and_its_message_is_the_diagnostic(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "'b¦ye'", RECORDED))
    meaning = place.hovered().partition("\n\nNot found")[0]
    told = place.hovered(_failed(place, "no match: a_b", excerpt="1  one\n2  two"))
    start = "Recorded lines:\n```text\n1  one\n2  two\n```\n\n---\n\n"
    assert told == start + meaning


def test_what_was_found_is_not_said_twice(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/tasks/a.yaml", "(?i)hel¦lo", RECORDED))
    told = place.hovered(_failed(place, "no match; line 1: 'hello, World!'", excerpt="1  hello,  World!"))
    assert "last recorded" not in told
    assert "World" not in told
    assert "World" in place.hovered(_failed(place, "no match", excerpt="1  hello,  World!"))


def test_how_many_tasks_there_are_is_still_said(tmp_path: Path) -> None:
    place = _with_recordings(at(tmp_path, "evals/eval.yaml", "(?i)hel¦lo", RECORDED))
    told = place.hovered(_failed(place, "no match", task="second", excerpt="1  a\n2  b", other=True))
    assert told.startswith("Recorded lines of `second`:\n```text\n1  a\n2  b\n```\n\n---\n\n")
    assert "Found in the last recorded output of 1 of 2 tasks." in told


def test_recorded_text_cannot_end_its_block(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "'b¦ye'", RECORDED)
    told = place.hovered(_failed(place, "x", excerpt="1  ```\n2  **loud**"))
    assert "````text\n1  ```\n2  **loud**\n````\n\n---" in told


def test_the_lines_of_a_failed_check_where_nothing_else_is_known_are_told_alone(tmp_path: Path) -> None:
    files = {**RECORDED, "evals/tasks/a.yaml": "# a note\n" + RECORDED["evals/tasks/a.yaml"]}
    place = at(tmp_path, "evals/tasks/a.yaml", "# a no¦te", files)
    assert (
        place.hovered(_failed(place, "gone", excerpt="1  a\n2  b"))
        == "Recorded lines:\n```text\n1  a\n2  b\n```"
    )
    assert (
        hover(place.snapshot, place.position, place.workspace, HoverNotes([_failed(place, "gone")])) is None
    )


def test_a_metric_has_its_last_value_at_the_threshold(tmp_path: Path) -> None:
    metrics = (
        "metrics:\n  - name: trigger_accuracy\n    threshold: 0.9\n  - {name: efficiency, threshold: 0.25}\n"
    )
    files = {**SUITE, "evals/eval.yaml": EVAL + metrics}
    known = {"trigger_accuracy": 0.875}
    for mark, value in (("thres¦hold: 0.9", "**0.875**"), ("0.¦9", "**0.875**"), ("0.2¦5", "")):
        place = at(tmp_path, "evals/eval.yaml", mark, files)
        place.workspace = replace(
            place.workspace, metric_values=lambda it: known if it.name == "eval.yaml" else {}
        )
        told = place.hovered()
        assert "Minimum value to pass, from 0 to 1" in told
        assert (f"Last value: {value}." in told) == bool(value), told
