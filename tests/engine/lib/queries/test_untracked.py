"""Commands that end soon note no dependencies; what outlives them is tracked all the same."""

from pathlib import Path

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.items import Items
from waza_engine.lib.queries.store import kept
from waza_engine.lib.queries.tracking import is_tracking, track_reads, untracked


def test_nothing_is_noted(tmp_path: Path) -> None:
    files = Files()
    memory: dict[object, object] = {}
    with track_reads() as reads, untracked():
        assert not is_tracking()
        assert kept(memory, "names", lambda: files.names(tmp_path)) == []
        assert Items(["a"]).results("x", lambda it: files.text(tmp_path / it) is None) == [(0, True)]
    assert not reads.dependencies


def test_queries_that_live_longer_see_what_changes(tmp_path: Path) -> None:
    files, path = Files(), tmp_path / "a.yaml"
    with untracked():
        assert files.data(path) is None
    path.write_text("a: 1\n")
    disk.look()
    with untracked():
        assert files.data(path) == {"a": 1}
    path.write_text("a: 22\n")
    disk.look()
    assert files.data(path) == {"a": 22}
