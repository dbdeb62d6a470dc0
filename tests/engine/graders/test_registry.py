"""A grader type is found in the file of its name, without importing the others."""

import subprocess
import sys

import pytest

from tests.slow import first_quick
from waza_engine.dialects.waza.generations.meanings import older_graders
from waza_engine.graders.registry import current_grader, graders, module_name
from waza_engine.recognition.recognise import dialects

TYPES = [(it.name, type_name) for it in dialects() for type_name in graders(it.name)]


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_the_file_of_a_type_has_its_name(dialect: str, type_name: str) -> None:
    kind = graders(dialect)[type_name]
    assert kind.__module__.rpartition(".")[2] == module_name(type_name)
    assert current_grader(dialect, type_name) is kind


@pytest.mark.parametrize(
    "type_name", ["", "no_such_type", "_shared", "__init__", "TEXT", "a.b", "file-exists"]
)
def test_other_names_are_no_type(type_name: str) -> None:
    assert current_grader("waza", type_name) is None


@pytest.mark.parametrize("type_name", ["file_exists", "_shared"])
def test_a_file_name_with_underscores_is_no_type_of_vally(type_name: str) -> None:
    assert current_grader("vally", type_name) is None


@pytest.mark.parametrize(("dialect", "type_name"), first_quick([("waza", "text"), ("vally", "file-exists")]))
def test_only_that_file_is_imported(dialect: str, type_name: str) -> None:
    code = (
        f"import sys; from waza_engine.graders.registry import current_grader; current_grader({dialect!r}, {type_name!r});"
        "print([it for it in sys.modules if '.dialects.' in it and '.graders.' in it and '._' not in it])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{[current_grader(dialect, type_name).__module__]}\n"


def test_the_file_of_an_older_type_contains_its_name() -> None:
    older = older_graders()
    assert len(older) > 10
    for key, kind in older.items():
        assert older_graders(kind.type_name)[key] is kind
