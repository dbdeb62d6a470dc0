"""An audit with the memory of earlier ones is the audit without it, whatever was edited between them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.audit.evals import plan_of, recorded, recording, text_grader, write_eval
from waza_engine.audit.run import AuditInputs, audit_task, skill_text
from waza_engine.audit.score import TaskAudit
from waza_engine.audit.task_grading import TaskMemory
from waza_engine.runs.recordings.find import Recording

CALLS = [("view", {"path": "a.md"}), ("create", {"path": "NOTES.md"})]
TRIALS = [
    recording("t", "Version 2.0 is out.\n\nBye.", CALLS, files={"NOTES.md": "Version 2.0\n", "a.md": "a"}),
    recording("u", "Nothing else is needed.", [("view", {"path": "b.md"})]),
]
SECOND = recording("t", "Version 2.0, again", CALLS[1:], files={"NOTES.md": "Version 2"})
DIFF = {"expected_files": [{"path": "NOTES.md", "snapshot": "snapshot.md"}]}
TRIGGER = {"skill_path": "skill.md", "mode": "positive"}
SNAPSHOTS = ("Version 2.0\n", "Version 2", "other")
WORDS = st.sampled_from(["Version", "2.0", "Done", "sorry", "error", "Do t", "x y z"])
GRADERS = st.one_of(
    st.builds(lambda it: {"contains": [it]}, WORDS).map(lambda it: ("text", it)),
    st.builds(lambda it: {"not_contains": [it]}, WORDS).map(lambda it: ("text", it)),
    st.sampled_from(["NOTES.md", "a.md", "b.md"]).map(lambda it: ("file", {"must_exist": [it]})),
    st.sampled_from(["NOTES.md", "b.md"]).map(lambda it: ("file", {"must_not_exist": [it]})),
    st.just(("tool_calls", {"required_tools": ["create"]})),
    st.just(("behavior", {"max_tool_calls": 5})),
    st.just(("trigger", TRIGGER)),
    st.just(("diff", DIFF)),
    st.just(("text", {"regex_match": ["(unclosed"]})),
    st.just(("nonsense", {})),
)
ENTRIES = st.tuples(st.sampled_from(["one", "two", "two"]), GRADERS).map(
    lambda it: {"name": it[0], "type": it[1][0], "config": it[1][1]}
)
EDITS = st.one_of(
    st.lists(ENTRIES, max_size=3).map(lambda it: ("graders", it)),
    st.sampled_from(["Do t", "Write version 2.0", ""]).map(lambda it: ("prompt", it)),
    st.sampled_from([[], ["negative"]]).map(lambda it: ("tags", it)),
    st.sampled_from([{}, {"output_contains": ["2.0"]}]).map(lambda it: ("expected", it)),
    st.sampled_from([[], [{"path": "a.md", "content": "a"}], [{"path": "a.md", "content": "b"}]]).map(
        lambda it: ("files", it)
    ),
    st.sampled_from(SNAPSHOTS).map(lambda it: ("snapshot", it)),
)


class Author:
    """Edits one task, and audits it with a memory."""

    def __init__(self, folder: Path) -> None:
        self.path = write_eval(folder / "e", [{"id": "t"}, {"id": "u"}], recordings=TRIALS)
        folder = self.path.parent
        (folder / "recordings" / "t.2.json").write_text(json.dumps(SECOND))
        (folder / "skill.md").write_text("---\nname: s\ndescription: Writes the version\n---\n")
        self.task: dict[str, Any] = {"id": "t", "name": "t", "inputs": {"prompt": "Do t", "files": []}}
        self.recordings = recorded(plan_of(self.path))
        self.memory = TaskMemory()

    def edit(self, what: str, value: Any) -> None:
        if what == "snapshot":
            (self.path.parent / "snapshot.md").write_text(value)
        else:
            (self.task["inputs"] if what in {"prompt", "files"} else self.task)[what] = value
        (self.path.parent / "tasks" / "t.yaml").write_text(json.dumps(self.task))

    def audit(self, memory: TaskMemory | None) -> TaskAudit:
        plan = plan_of(self.path)
        task = next(it for it in plan.tasks if it.id == "t")
        known: dict[str, list[Recording]] = self.recordings
        return audit_task(
            plan,
            AuditInputs(task, known["t"], tuple(it.trajectory for it in known["u"]), skill_text(plan.suite)),
            self.path.parent,
            memory=memory,
        )


@settings(max_examples=20, deadline=None)
@given(edits=st.lists(EDITS, min_size=2, max_size=10))
@pytest.mark.slow
def test_any_edits(edits: list[tuple[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> None:
    author = Author(tmp_path_factory.mktemp("author"))
    for it in edits:
        author.edit(*it)
        assert author.audit(author.memory) == author.audit(None)


@pytest.mark.parametrize(
    "edits",
    [
        # A file that the grader reads.
        [
            ("snapshot", "other"),
            ("graders", [{"name": "same", "type": "diff", "config": DIFF}]),
            ("snapshot", "Version 2.0\n"),
        ],
        # The same name, and another type: it looks at nothing of the agent's work.
        [
            ("graders", [text_grader("one", contains=["2.0"])]),
            (
                "graders",
                [{"name": "one", "type": "trigger", "config": TRIGGER}, text_grader("two", contains=["2.0"])],
            ),
        ],
    ],
)
def test_each_audit_looks_again(edits: list[tuple[str, Any]], tmp_path: Path) -> None:
    author = Author(tmp_path)
    seen = []
    for it in edits:
        author.edit(*it)
        seen.append(author.audit(author.memory))
        assert seen[-1] == author.audit(None)
    assert seen[-1] != seen[-2]


def test_a_memory_stays_small(tmp_path: Path) -> None:
    author = Author(tmp_path)
    sizes = []
    for number in range(60):
        author.edit(
            "graders", [text_grader(contains=[f"Version {number}"]), text_grader("is", contains=["is"])]
        )
        author.edit("prompt", f"Do {number}")
        author.audit(author.memory)
        sizes.append(sum(map(len, author.memory.memo._known.values())))
    assert max(sizes) < 1_000
    assert max(sizes[30:]) <= max(sizes[:30])


def test_nothing_is_graded_again_after_an_undone_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author = Author(tmp_path)
    author.edit("graders", [text_grader(contains=["Version"])])
    before = author.audit(author.memory)
    author.edit("graders", [text_grader(contains=["Versio"])])
    author.audit(author.memory)
    author.edit("graders", [text_grader(contains=["Version"])])
    monkeypatch.setattr("waza_engine.audit.memo.grade_entry", None)
    assert author.audit(author.memory) == before


def test_snapshots_are_never_updated(tmp_path: Path) -> None:
    author = Author(tmp_path)
    config = {**DIFF, "update_snapshots": True}
    author.edit(
        "graders", [{"type": "diff", "name": "same", "config": config}, text_grader(contains=["2.0"])]
    )
    audit = author.audit(author.memory)
    assert [it.name for it in audit.left_out] == ["same"]
    assert audit.attempts
    assert not (author.path.parent / "snapshot.md").exists()
