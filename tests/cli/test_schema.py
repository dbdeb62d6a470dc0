"""`waza-lsp schema`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_engine.analysis.schema.files import schema_names
from waza_lsp.cli import main


def test_list_names_every_schema() -> None:
    result = CliRunner().invoke(main, ["schema", "list"])
    assert (result.exit_code, result.output.split()) == (0, schema_names())


def test_show_prints_one_schema() -> None:
    result = CliRunner().invoke(main, ["schema", "show", "graders/text"])
    assert (result.exit_code, json.loads(result.output)["title"]) == (0, "text")


def test_show_of_an_unknown_name_says_where_the_names_are() -> None:
    result = CliRunner().invoke(main, ["schema", "show", "eval.json"])
    assert result.exit_code == 2
    assert (
        "No schema is named 'eval.json'. Did you mean 'eval'? List all names with: waza-lsp schema list"
        in result.output
    )


def test_export_writes_what_list_names(tmp_path: Path) -> None:
    other = tmp_path / "out" / "mine.schema.json"
    other.parent.mkdir()
    other.write_text("{}")
    result = CliRunner().invoke(main, ["schema", "export", "--out", str(other.parent)])
    written = {it.relative_to(other.parent).as_posix() for it in other.parent.rglob("*.json")}
    assert result.exit_code == 0
    assert written == {*(f"{it}.schema.json" for it in schema_names()), "mine.schema.json"}


@pytest.mark.slow
def test_export_into_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(main, ["schema", "export", "--out", str(tmp_path / "file" / "below")])
    assert result.exit_code == 2
    assert result.output.startswith("error: Cannot write to ")


@pytest.mark.slow
def test_export_follows_no_link_out_of_its_folder(tmp_path: Path) -> None:
    mine, out = tmp_path / "mine", tmp_path / "out"
    mine.write_text("mine")
    out.mkdir()
    (out / "eval.schema.json").symlink_to(mine)
    result = CliRunner().invoke(main, ["schema", "export", "--out", str(out)])
    assert (result.exit_code, result.output) == (
        2,
        f"error: Cannot write to {out}: a link leads out of {out}\n",
    )
    assert (mine.read_text(), list(out.iterdir())) == ("mine", [out / "eval.schema.json"])


@pytest.mark.slow
def test_export_into_a_folder_behind_a_link_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    assert CliRunner().invoke(main, ["schema", "export", "--out", str(tmp_path / "out")]).exit_code == 0
    assert (tmp_path / "real" / "eval.schema.json").is_file()


def test_help_shows_examples() -> None:
    result = CliRunner().invoke(main, ["schema", "--help"])
    assert "waza-lsp schema export --out schemas" in result.output
