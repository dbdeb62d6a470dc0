"""Telling quickly what is no eval file: never wrong about one that is."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from waza_lsp.schema.document_kind import looks_like_eval, may_be_eval
from waza_lsp.snapshot import Snapshot

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.yaml"))
PATH = Path("/nowhere/some.yaml")


def _is_eval(text: str, path: Path) -> bool:
    return Snapshot.of(path.as_uri(), text).recognition is not None


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda it: f"{it.parent.name}-{it.stem}")
def test_the_examples_get_through(path: Path) -> None:
    text = path.read_text("utf-8")
    assert _is_eval(text, path) == may_be_eval(text, path) == looks_like_eval(text, path)


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Service\nspec:\n  ports: []\n",
        "services: {web: {image: x}}\n",
        "on: push\njobs:\n  a:\n    runs-on: x\n",
        "",
    ],
)
def test_other_files_need_not_be_parsed(text: str) -> None:
    assert not may_be_eval(text, PATH)
    assert not _is_eval(text, PATH)


def test_what_only_values_tell_gets_through() -> None:
    path = PATH.with_name("eval.yaml")
    assert may_be_eval("name: a\ntype: capability\n", path)
    assert _is_eval("name: a\ntype: capability\n", path)
    assert not may_be_eval("name: a\ntype: capability\n", PATH)


_LINES = st.sampled_from(
    [
        "name: a",
        "skill: b",
        "tasks: [x]",
        "graders:",
        "  - type: text",
        "- item",
        '"config":',
        "'id': 1",
        "inputs: {",
        "}",
        "text: |",
        "  deep",
        "# comment",
        "---",
        "...",
        "? odd",
        "key:value",
        "config: 'a",
        "b'",
        "*x : 1",
        "&a id: 2",
        "kind: x",
    ]
)


@example("kind: x\n  - type: text", "eval.yaml")
@given(
    st.lists(_LINES, max_size=8).map("\n".join), st.sampled_from(["some.yaml", "eval.yaml", "tasks/a.yaml"])
)
def test_what_is_an_eval_is_never_passed_over(text: str, name: str) -> None:
    path = Path("/nowhere") / name
    if _is_eval(text, path):
        assert may_be_eval(text, path)
