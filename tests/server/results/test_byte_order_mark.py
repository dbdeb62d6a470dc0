"""Files with a byte-order mark, which editors either remove or send."""

from codecs import BOM_UTF8
from pathlib import Path

import pytest
from lsprotocol import types

from waza_lsp.runnables.runnables import runnables_in
from waza_lsp.server.diagnostics.publish import _is_unsaved
from waza_lsp.server.results.coverage import coverage
from waza_lsp.server.results.reader import on_disk
from waza_lsp.snapshot import Snapshot

EVAL = "name: notes\nskill: notes\ntasks: [tasks/*.yaml]\n"


@pytest.mark.parametrize("sent", [EVAL, "\ufeff" + EVAL])
def test_it_is_no_unsaved_change_and_makes_no_result_stale(tmp_path: Path, sent: str) -> None:
    path = tmp_path / "eval.yaml"
    path.write_bytes(BOM_UTF8 + EVAL.encode())
    opened, saved = Snapshot.of(path.as_uri(), sent, 1), on_disk(path, types.PositionEncodingKind.Utf16)
    assert saved is not None
    assert str(saved.text) == EVAL
    assert not _is_unsaved(opened)
    assert _is_unsaved(Snapshot.of(path.as_uri(), sent + "x: 1\n", 2))
    digests = [[coverage(it, whole) for whole in runnables_in(it)] for it in (opened, saved)]
    assert digests[0] == digests[1] != []
