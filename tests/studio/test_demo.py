"""The demo: a copy of a shipped example that shows a mistake and a failing check."""

import json
from pathlib import Path

from click.testing import CliRunner

from waza_lsp.cli import main
from waza_lsp.studio.demo import CHANGES, opened


def test_the_demo_has_one_mistake_that_a_fix_corrects() -> None:
    with opened(None, is_demo=True) as (folder, start_file):
        text = (folder / start_file).read_text("utf-8")
        assert all(text.count(it) == 1 for it in CHANGES.values()), (
            "the example has changed: change CHANGES, too"
        )
        # An installation may be read-only.
        folders = [it for it in folder.rglob("*") if it.is_dir()]
        assert {it.stat().st_mode & 0o777 for it in (folder.parent, folder, *folders)} == {0o700}
        assert all(it.stat().st_mode & 0o200 for it in folder.rglob("*"))
        checked = CliRunner().invoke(main, ["check", str(folder), "--format", "json"])
        findings = json.loads(checked.stdout)["diagnostics"]
        assert [it["code"] for it in findings] == ["unknown-key"]
        CliRunner().invoke(main, ["check", "--fix", str(folder)])
        assert "  timeout: 3m\n" in (folder / start_file).read_text("utf-8")
    assert not folder.parent.exists()


def test_a_folder_of_the_person_stays(tmp_path: Path) -> None:
    with opened(tmp_path, is_demo=False) as (folder, start_file):
        assert (folder, start_file) == (tmp_path, "")
    assert tmp_path.exists()
