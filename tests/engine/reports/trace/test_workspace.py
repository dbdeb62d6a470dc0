"""The workspace after each step, from what calls state and from the files at the end."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.lib.text_diff import unified_diff
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace import workspace as workspace_module
from waza_engine.reports.trace.steps import steps_of
from waza_engine.reports.trace.workspace import FileChange, Workspace, workspace_of

Call = tuple[str, Any]


def work(*calls: Call, files: dict[str, str] | None = None, **more: Any) -> Workspace:
    """The workspace of an agent that made these calls, of which each succeeded unless its name begins with '!'."""
    transcript: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate(calls):
        start = {"type": "tool.execution_start", "tool_call_id": str(number)}
        end = {"type": "tool.execution_complete", "tool_call_id": str(number)}
        transcript.append({**start, "tool_name": name.removeprefix("!"), "arguments": arguments})
        transcript.append({**end, "success": not name.startswith("!")})
    trajectory = Trajectory(transcript=transcript, files=files or {}, **more)
    return workspace_of(trajectory, steps_of(trajectory))


def diff(before: dict[str, str], after: dict[str, str]) -> str:
    return unified_diff(*({name: text.encode() for name, text in it.items()} for it in (before, after)))


def told(found: Workspace) -> list[tuple[int, str, str | None]]:
    assert all(it.how == "told" for it in found.changes)
    return [(it.step, it.path, it.text) for it in found.changes]


OLD = "one\ntwo\n"
EDITED = "one\n2\n"
PATCH = """*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+2
*** End Patch"""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit", {"path": "a.txt", "old_str": "two", "new_str": "2"}),
        ("edit", {"path": "./b/../a.txt", "old_str": "two", "new_str": "2"}),
        ("str_replace_editor", {"command": "str_replace", "path": "a.txt", "old_str": "two", "new_str": "2"}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a.txt", "file_text": EDITED}),
        ("Edit", {"file_path": "/work/x/a.txt", "old_string": "two", "new_string": "2"}),
        ("Edit", {"file_path": "C:\\work\\a.txt", "old_string": "two", "new_string": "2"}),
        ("Edit", {"file_path": "a.txt", "old_string": "two", "new_string": "2", "replace_all": True}),
        ("MultiEdit", {"file_path": "a.txt", "edits": [{"old_string": "two", "new_string": "2"}]}),
        ("Write", {"file_path": "a.txt", "content": EDITED}),
        ("write_file", {"path": "a.txt", "content": EDITED}),
        ("builtin:edit", {"path": "a.txt", "old_str": "two", "new_str": "2"}),
        ("mcp__files__write_file", {"path": "a.txt", "content": EDITED}),
        ("filesystem-write_file", {"path": "a.txt", "content": EDITED}),
        ("filesystem-edit_file", {"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}]}),
        ("create_file", {"filePath": "a.txt", "content": EDITED}),
        ("replace_string_in_file", {"filePath": "a.txt", "oldString": "two", "newString": "2"}),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": "a.txt", "oldString": "two", "newString": "2"}]},
        ),
        ("replace", {"file_path": "a.txt", "old_string": "two", "new_string": "2"}),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", PATCH),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("bash", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
    ],
)
def test_a_call_states_the_change(name: str, arguments: object) -> None:
    found = work((name, arguments), files={"a.txt": EDITED}, patch=diff({"a.txt": OLD}, {"a.txt": EDITED}))
    assert found.initial == {"a.txt": OLD}
    assert told(found) == [(1, "a.txt", EDITED)]
    assert found.is_exact


def test_files_are_made_moved_and_deleted() -> None:
    before = {"old.txt": "x", "gone.txt": ""}
    after = {"new.txt": "x\ny\n", "made.txt": "hi"}
    found = work(
        ("create", {"path": "made.txt", "file_text": "hi"}),
        ("move_file", {"source": "old.txt", "destination": "new.txt"}),
        ("insert", {"path": "new.txt", "insert_line": 1, "new_str": "y\n"}),
        ("append", {"path": "new.txt", "content": "\n"}),
        ("delete_file", {"path": "gone.txt"}),
        files=after,
        removed=["old.txt", "gone.txt"],
        patch=diff(before, after),
    )
    assert found.initial == before
    assert told(found) == [
        (1, "made.txt", "hi"),
        (2, "old.txt", None),
        (2, "new.txt", "x"),
        (3, "new.txt", "x\ny"),
        (4, "new.txt", "x\ny\n"),
        (5, "gone.txt", None),
    ]
    assert found.is_exact


def test_what_no_call_states_stands_at_the_last_step_that_could_have_done_it() -> None:
    after = {"a.txt": EDITED, "b.txt": "new\n"}
    found = work(
        ("bash", {"command": "make"}),
        ("bash", {"command": "make more"}),
        ("view", {"path": "b.txt"}),
        files=after,
        patch=diff({"a.txt": OLD}, after),
    )
    assert found.changes == [
        FileChange(2, "a.txt", EDITED, "found"),
        FileChange(2, "b.txt", "new\n", "found"),
    ]
    assert not found.is_exact


def test_a_failed_call_changes_nothing() -> None:
    found = work(
        ("!edit", {"path": "a.txt", "old_str": "two", "new_str": "2"}), files={"a.txt": OLD}, patch=""
    )
    assert (found.changes, found.is_exact) == ([], True)


def test_an_edit_that_does_not_fit_is_found_at_the_end() -> None:
    edit = ("edit", {"path": "a.txt", "old_str": "three", "new_str": "3"})
    found = work(
        ("bash", {"command": "x"}), edit, files={"a.txt": "3"}, patch=diff({"a.txt": "1"}, {"a.txt": "3"})
    )
    assert found.changes == [FileChange(2, "a.txt", "3", "found")]
    assert not found.is_exact


def test_files_outside_of_the_workspace_are_left_out() -> None:
    write = ("Write", {"file_path": "/somewhere/notes", "content": "x"})
    inside = ("Write", {"file_path": "/somewhere/work/a.txt", "content": OLD})
    found = work(write, inside, ("create", {"path": "../b", "file_text": ""}), files={"a.txt": OLD}, patch="")
    assert told(found) == [(2, "a.txt", OLD)]


def test_without_a_diff_the_initial_texts_are_taken_back_from_what_calls_state() -> None:
    found = work(
        ("edit", {"path": "a.txt", "old_str": "two", "new_str": "2"}),
        ("create", {"path": "b.txt", "file_text": "b"}),
        files={"a.txt": EDITED, "b.txt": "b", "c.txt": "c"},
    )
    assert found.initial == {"a.txt": OLD, "c.txt": "c"}
    assert told(found) == [(1, "a.txt", EDITED), (2, "b.txt", "b")]


def test_without_files_a_change_is_a_part() -> None:
    found = work(
        ("edit", {"path": "a.txt", "old_str": "two", "new_str": "2"}),
        ("create", {"path": "b.txt", "file_text": "b"}),
        ("edit", {"path": "b.txt", "old_str": "b", "new_str": "c"}),
    )
    assert found.changes == [
        FileChange(1, "a.txt", "2", "told", is_part=True, before="two"),
        FileChange(2, "b.txt", "b", "told"),
        FileChange(3, "b.txt", "c", "told"),
    ]
    assert not work(("bash", {"command": "x"})).is_exact


def test_a_diff_with_numbers_that_no_line_has_is_no_error() -> None:
    patch = f"diff --git a/a b/a\n@@ -1 +{'9' * 5000} @@\n-x\n+y\n"
    assert work(files={"a": "y\n"}, patch=patch).initial == {"a": "y\n"}


def test_of_a_diff_without_files_the_hunks_are_parts() -> None:
    before, after = {"a.txt": OLD, "gone.txt": "x"}, {"a.txt": EDITED, "new.txt": "n\n"}
    found = work(("bash", {"command": "x"}), patch=diff(before, after))
    assert found.changes == [
        FileChange(1, "a.txt", EDITED, "found", is_part=True, before=OLD),
        FileChange(1, "gone.txt", None, "found"),
        FileChange(1, "new.txt", "n\n", "found"),
    ]


def test_many_edits_of_a_large_file_are_stated_as_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_module, "_MOST_CHARACTERS", 3_000)
    lines = [f"line {it}\n" for it in range(100)]
    calls = [("edit", {"path": "a", "old_str": f"line {it}\n", "new_str": f"{it}\n"}) for it in range(50)]
    after = "".join(f"{it}\n" if it < 50 else line for it, line in enumerate(lines))
    found = work(*calls, files={"a": after}, patch=diff({"a": "".join(lines)}, {"a": after}))
    assert found.is_exact
    assert [it.is_part for it in found.changes].count(False) == 3
    assert found.changes[-1] == FileChange(50, "a", "49\n", "told", is_part=True, before="line 49\n")


@pytest.mark.slow
def test_hostile_sizes_take_seconds() -> None:
    text = "x" * 1_000_000
    edits = [("edit", {"path": "a", "old_str": "y", "new_str": "z"})] * 3_000
    deep = ("view", {"path": "/a" * 500_000})
    named: Call = ("x" * 500_000, {})
    padded = ("apply_patch", f"*** Begin Patch\n*** Add File: {' ' * 500_000}x\n*** End Patch")
    names = {f"f{it}": "" for it in range(20_000)}
    nameless: list[Call] = [("bash", {})] * 20_000
    start = time.process_time()
    patch = f"diff --git a/{' b/' * 500_000} b/x\n@@ -1 +1 @@\n+x\n"
    assert work(files={"a": text}, patch=patch).initial == {"a": text}
    found = work(
        deep,
        named,
        padded,
        *edits,
        *nameless,
        files={"a": text, **names},
        removed=[f"g{it}" for it in range(20_000)],
    )
    assert time.process_time() - start < 20
    assert replayed(found) == {"a": text, **names}


_TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "c", "\u00e9\r\n", "", "+x\n", "--- y\n", "@@ -1 +1 @@\n"]), max_size=6
).map("".join)
_FILES = st.dictionaries(st.sampled_from(["a", "d/b", "c \u00e9.txt"]), _TEXTS, max_size=3)


@given(_FILES, _FILES)
@settings(max_examples=examples(300), deadline=None)
def test_the_diff_leads_back_to_the_texts_before(before: dict[str, str], after: dict[str, str]) -> None:
    found = work(("bash", {}), files=after, patch=diff(before, after), removed=sorted({*before} - {*after}))
    if after or not diff(before, after):
        assert found.initial == before
        assert replayed(found) == after


_CALLS = st.lists(
    st.one_of(
        st.tuples(
            st.just("edit"),
            st.fixed_dictionaries(
                {"path": st.sampled_from(["a", "d/b"]), "old_str": st.sampled_from("abc"), "new_str": _TEXTS}
            ),
        ),
        st.tuples(
            st.just("create"),
            st.fixed_dictionaries({"path": st.sampled_from(["a", "/r/d/b", 3, None]), "file_text": _TEXTS}),
        ),
        st.tuples(st.sampled_from(["bash", "!edit", "move", "delete", "apply_patch"]), st.just({"path": "a"})),
        st.tuples(st.just("apply_patch"), st.text("*+- @\nBeginPatch", max_size=20).map(lambda it: f"*** Begin Patch\n{it}")),
        st.tuples(st.sampled_from(["edit", "create"]), st.integers() | st.lists(st.integers()) | st.none()),
    ),
    max_size=5,
)  # fmt: skip


@given(_CALLS, _FILES, _FILES)
@settings(max_examples=examples(300), deadline=None)
def test_any_calls_end_in_the_files_at_the_end(
    calls: list[Call], before: dict[str, str], after: dict[str, str]
) -> None:
    found = work(*calls, files={**after, "z": ""}, patch=diff(before, {**after, "z": ""}))
    assert replayed(found) == {**after, "z": ""}
    assert [it.step for it in found.changes] == sorted(it.step for it in found.changes)


def replayed(found: Workspace) -> dict[str, str]:
    """The files after all steps, as the viewer has them."""
    files = dict(found.initial)
    for it in found.changes:
        if it.text is None:
            files.pop(it.path, None)
        else:
            files[it.path] = files[it.path].replace(it.before, it.text, 1) if it.is_part else it.text
    return files
