"""Every mutation breaks what it says, and always in the same way."""

from pathlib import Path

import pytest

from waza_engine.audit.calls import calls_of
from waza_engine.audit.mutations.base import Mutant, Subject, mutations
from waza_engine.executors.replay import read_recording
from waza_engine.model.suite import InputFile, Task
from waza_engine.model.trajectory import Trajectory

RECORDINGS = Path(__file__).parents[3] / "examples" / "file-editor" / "recordings"
OTHER = read_recording(RECORDINGS / "list-todos.json")
OUTPUT = "The port is 8080.\n\nIt was 80 before. Nothing else has changed.\n\nThe tests pass."
TASK = Task(
    "change-config",
    "Change the config",
    "Set the port to 8080",
    files=(
        InputFile("./app.toml", b"port = 80\n"),
        InputFile("logo.bin", b"\xff\x00"),
        InputFile("old.txt", b"old\n"),
    ),
)


def performed() -> Trajectory:
    recorded = read_recording(RECORDINGS / "rename-function.json")
    files = {"app.toml": "port = 8080\n", "NOTES.md": "# Notes\n\nThe port is 8080.\n"}
    transcript = [
        {**it, "content": OUTPUT} if it.get("type") == "assistant.message" else it
        for it in recorded.transcript
    ]
    return recorded.model_copy(
        update={"output": OUTPUT, "files": files, "removed": ["old.txt"], "transcript": transcript}
    )


SUBJECT = Subject(TASK, performed(), (OTHER,))


def mutants(name: str, subject: Subject = SUBJECT) -> list[Mutant]:
    return list(mutations()[name].mutants(subject))


def test_each_mutation_has_a_file_of_its_name() -> None:
    folder = Path(__file__).parents[3] / "engine" / "waza_engine" / "audit" / "mutations"
    names = {it.stem.replace("_", "-") for it in folder.glob("*.py")} - {"base", "--init--"}
    assert set(mutations()) == names
    assert "drop-call" in names


@pytest.mark.parametrize("name", mutations())
def test_it_changes_the_trial_and_says_what(name: str) -> None:
    made = mutants(name)
    assert made
    for it in made:
        assert it.trajectory != SUBJECT.trajectory
        assert it.change.startswith("with")
        assert it.before != it.after


@pytest.mark.parametrize("name", mutations())
def test_it_makes_the_same_mutants_again(name: str) -> None:
    assert mutants(name) == mutants(name)


@pytest.mark.parametrize("name", mutations())
def test_it_makes_nothing_of_an_empty_trial(name: str) -> None:
    assert mutants(name, Subject(Task("t", "t", "p"), Trajectory())) == []


@pytest.mark.parametrize("name", [it for it in mutations() if it != "swap-trial"])
def test_it_changes_one_thing_only(name: str) -> None:
    """What the mutation is not about stays the same object."""
    was = SUBJECT.trajectory
    for it in mutants(name):
        is_other = [
            it.trajectory.output != was.output,
            calls_of(it.trajectory) != calls_of(was) or it.trajectory.tool_events != was.tool_events,
            (it.trajectory.files, it.trajectory.removed) != (was.files, was.removed),
        ]
        assert sum(is_other) == 1


def test_the_last_message_is_the_output() -> None:
    for name in ("halve-output", "cut-paragraph", "negate-sentence", "replace-numbers", "swap-output"):
        [it] = mutants(name)
        messages = [
            event["content"] for event in it.trajectory.transcript if event.get("type") == "assistant.message"
        ]
        assert messages[-1] == it.trajectory.output != OUTPUT


def test_outputs() -> None:
    outputs = {
        name: mutants(name)[0].trajectory.output
        for name in ("cut-paragraph", "replace-numbers", "swap-output")
    }
    assert outputs == {
        "cut-paragraph": "The port is 8080.\n\nIt was 80 before. Nothing else has changed.",
        "replace-numbers": OUTPUT.replace("80", "67"),
        "swap-output": OTHER.output,
    }
    assert " not " in mutants("negate-sentence")[0].trajectory.output


def test_a_negation_is_taken_back() -> None:
    subject = Subject(TASK, Trajectory(output="It is not done."))
    [it] = mutants("negate-sentence", subject)
    assert it.trajectory.output == "It is done."


def test_files() -> None:
    assert SUBJECT.written == ["NOTES.md", "app.toml"]
    deleted = mutants("delete-file")
    assert [it.trajectory.files.keys() for it in deleted] == [{"app.toml"}, {"NOTES.md"}]
    assert deleted[1].trajectory.removed == ["app.toml", "old.txt"]
    assert [it.trajectory.files["NOTES.md"] for it in mutants("empty-file")[:1]] == [""]
    assert "8080" not in mutants("truncate-file")[1].trajectory.files["app.toml"]
    restored = {it.change: it.trajectory for it in mutants("restore-file")}
    assert restored["with app.toml as it was before"].files["app.toml"] == "port = 80\n"
    assert restored["with old.txt as it was before"].removed == []


def test_the_recorded_diff_goes_with_the_files() -> None:
    subject = Subject(TASK, SUBJECT.trajectory.model_copy(update={"patch": "--- a"}))
    assert mutants("empty-file", subject)[0].trajectory.patch is None
    assert mutants("halve-output", subject)[0].trajectory.patch == "--- a"


def test_a_repeated_call_has_ids_of_its_own() -> None:
    [it] = mutants("repeat-call")
    ids = [call.id for call in calls_of(it.trajectory)]
    assert len(set(ids)) == len(ids) == len(calls_of(SUBJECT.trajectory)) + 9


def test_a_swapped_trial_is_of_this_task() -> None:
    [it] = mutants("swap-trial")
    assert it.trajectory.task == TASK.id
    assert it.trajectory.output == OTHER.output
