"""Test the pages about files: tables are current, every key has a place, and the examples have no findings."""

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_engine.analysis.schema.files import read_schema
from waza_engine.generate.format_pages import filled, page_names
from waza_engine.generate.schemas.shape import subschemas
from waza_engine.lib.links import manual_page
from waza_engine.recognition.recognise import dialects
from waza_lsp.cli import main

DOCS = Path(__file__).parents[3] / "docs"
FOLDER = DOCS / "formats"
COMMAND = "run: python -m waza_engine.generate.pages"
_FILE = re.compile(r"^File `([^`]+)`:\n\n(`{3,})\w+\n(.*?)^\2$", re.MULTILINE | re.DOTALL)


def test_tables_are_those_of_the_models() -> None:
    stale = [
        path.name
        for path in FOLDER.rglob("*.md")
        if filled(path.relative_to(DOCS).with_suffix("").as_posix(), text := path.read_text("utf-8")) != text
    ]
    assert not stale, COMMAND
    assert all("<!-- keys -->" in (DOCS / f"{it}.md").read_text("utf-8") for it in page_names())


@pytest.mark.parametrize("schema", [kind.schema for it in dialects() for kind in it.kinds])
def test_every_key_of_a_file_has_a_place_on_a_page(schema: str) -> None:
    manuals = {str(it["x-manual-key"]) for it in subschemas(read_schema(schema)) if "x-manual-key" in it}
    assert len(manuals) >= len(read_schema(schema)["properties"])
    for it in manuals:
        page, _, anchor = it.partition("#")
        assert f'<a id="{anchor}"></a>' in (DOCS / f"{page}.md").read_text("utf-8"), it
    assert manual_page("formats/eval#config.model").endswith("/docs/formats/eval.md#config.model")


@pytest.mark.parametrize("dialect", ["", "vally"])
def test_the_examples_are_one_project_without_findings(
    dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = sorted((FOLDER / dialect).glob("*.md"))
    files = [(name, text) for page in pages for name, _, text in _FILE.findall(page.read_text("utf-8"))]
    assert len(files) >= 5
    for name, text in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    # The examples are small.
    done = CliRunner().invoke(main, ["check", "--ignore", "too-few-tasks,undecidable-threshold"])
    assert re.fullmatch(r"\d+ eval files checked: nothing to report\n", done.output), done.output
    for it in tmp_path.rglob("eval.yaml"):
        run = CliRunner().invoke(main, ["run", str(it), "--executor", "mock", "--dry-run"])
        assert run.exit_code == 0, run.output


def test_the_example_of_an_environment_is_valid_in_an_eval(tmp_path: Path) -> None:
    text = (FOLDER / "vally/environment.md").read_text("utf-8")
    example = text.partition("```yaml\n")[2].partition("```")[0]
    path = tmp_path / "evals/a/eval.yaml"
    shutil.copytree(
        DOCS.parent / "examples/release-notes/skills/release-notes", tmp_path / "skills/release-notes"
    )
    (tmp_path / "evals/a/fixtures/app").mkdir(parents=True)
    (tmp_path / "evals/a/fixtures/app/a.txt").touch()
    indented = "".join(f"  {line}\n" for line in example.splitlines())
    stimulus = "{name: a, prompt: p, graders: [{type: completed}]}"
    path.write_text(f"name: a\nenvironment:\n{indented}stimuli: [{stimulus}]\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["check", str(path), "--dialect", "vally"])
    assert "nothing to report" in done.output


def test_the_members_of_results_on_the_page_exist(tmp_path: Path) -> None:
    eval_path = DOCS.parent / "examples/code-explainer/eval.yaml"
    page = (FOLDER / "results.md").read_text("utf-8")
    for name, part in (("r.json", "## waza's results"), ("r.jsonl", "## vally's results")):
        output = tmp_path / name
        store = ["--store", str(tmp_path / name.replace(".", "-"))]
        arguments = ["run", str(eval_path), "--executor", "replay", "-q", "--output", str(output)]
        done = CliRunner().invoke(main, [*arguments, *store])
        assert done.exit_code == 0, done.output
        table = "".join(
            it for it in page.partition(part)[2].partition("\n## ")[0].splitlines() if it[:1] == "|"
        )
        members = {it.rpartition(".")[2].removesuffix("[]") for it in re.findall(r"`([\w.\[\]-]+)`", table)}
        missing = {it for it in members if f'"{it}"' not in output.read_text("utf-8")}
        assert missing <= {"error_msg", "error", "threshold"}
