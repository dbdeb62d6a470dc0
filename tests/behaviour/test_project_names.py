"""Names that the project file defines: vally environments, used by evals and stimuli."""

from pathlib import Path

from tests.behaviour.suite_harness import at
from tests.behaviour.test_completion_world import offered_at

EVAL = """\
name: demo
environment: node-app
stimuli:
  - name: first
    prompt: hello
    environment: node-app
"""
PROJECT = """\
environments:
  node-app:
    commands: [npm ci]
  'python-app':
    commands: [pip install .]
"""
FILES = {
    ".vally.yaml": PROJECT,
    "evals/a.eval.yaml": EVAL,
    "evals/b.eval.yaml": EVAL.replace("node", "python"),
}


def test_completion_knows_them(tmp_path: Path) -> None:
    found = offered_at(tmp_path, "evals/a.eval.yaml", "environment: node¦-app", FILES)
    assert {"node-app", "python-app"} <= found.keys()
    assert found["python-app"] == "environment in .vally.yaml"


def test_definition_and_references(tmp_path: Path) -> None:
    place = at(tmp_path / "1", "evals/a.eval.yaml", "environment: node¦-app", FILES)
    assert place.definitions() == [".vally.yaml:2 node-app"]
    uses = ["evals/a.eval.yaml:2 node-app", "evals/a.eval.yaml:6 node-app"]
    assert place.references(include_declaration=False) == uses
    place = at(tmp_path / "2", ".vally.yaml", "node¦-app:", FILES)
    assert place.references() == [".vally.yaml:2 node-app", *uses]


def test_rename_from_either_side(tmp_path: Path) -> None:
    for number, (name, mark) in enumerate(
        [("evals/b.eval.yaml", "environment: python¦-app"), (".vally.yaml", "'python¦-app'")]
    ):
        place = at(tmp_path / str(number), name, mark, FILES)
        changed = place.renamed("snake")
        assert changed[".vally.yaml"] == PROJECT.replace("python-app", "snake")
        assert changed["evals/b.eval.yaml"] == EVAL.replace("node-app", "snake")
        assert changed.keys() == {".vally.yaml", "evals/b.eval.yaml"}


def test_hover_shows_the_environment(tmp_path: Path) -> None:
    text = at(tmp_path, "evals/a.eval.yaml", "environment: node¦-app", FILES).hovered()
    assert "npm ci" in text
