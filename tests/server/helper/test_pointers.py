"""Pending graders after their document has changed."""

import pytest

from tests.behaviour.harness import snapshot_of
from waza_lsp.server.helper.verdicts import Pending, add_pending, current_pointers
from waza_lsp.snapshot import Snapshot


def _document(*graders: str) -> Snapshot:
    entries = "".join(f"  - type: text\n    name: {it}\n    config: {{contains: [{it}]}}\n" for it in graders)
    return snapshot_of(f"name: n\nskill: s\ngraders:\n{entries}")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (("a", "b", "c"), {1}),
        (("new", "a", "b", "c"), {2}),
        (("b", "c"), {0}),
        (("a", "c"), set()),
        (("a", "bb", "c"), {1}),
        (("c", "b", "a"), {1}),
        (("a", "a", "b", "c"), {2}),
    ],
)
def test_a_wanted_grader_is_found_again(after: tuple[str, ...], expected: set[int]) -> None:
    found = current_pointers(_document("a", "b", "c"), {("graders", 1)}, _document(*after))
    assert {("graders", it) for it in expected} <= found
    left_out = {("graders", at) for at, it in enumerate(after) if it in {"a", "c"}}
    assert found.isdisjoint(left_out)


def test_what_is_wanted_of_several_versions_comes_together() -> None:
    wanted: Pending = {}
    first, second = _document("a", "b"), _document("new", "a", "b")
    add_pending(wanted, first, {("graders", 1)})
    add_pending(wanted, second, {("graders", 0)})
    assert wanted == {first.uri: (second, {("graders", 0), ("graders", 2)})}
