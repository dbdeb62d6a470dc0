"""The house stays in order: what may lean on what, what import costs, what the wheel holds, pages that are true."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.slow import first_quick
from waza_lsp.studio.demo import EXAMPLE

ROOT = Path(__file__).parents[1]


def test_the_dependency_contracts_hold() -> None:
    # In a process of its own: it silences all loggers that are there.
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys, threading; {statement}; print(threading.active_count(), *sys.modules)"
    result = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(result.stdout.split())


def test_importing_the_engine_starts_nothing_and_loads_no_protocol() -> None:
    loaded = _loaded_by("import waza_engine, waza_engine.recognition.recognise, waza_engine.grading.grade")
    assert "1" in loaded
    assert not loaded & {"pygls", "lsprotocol", "asyncio"}


def test_the_server_starts_without_pydantic_and_jsonschema() -> None:
    loaded = _loaded_by("import waza_lsp.server.build")
    assert not loaded & {"pydantic", "jsonschema", "ruamel", "openai", "jinja2"}


def test_commands_import_jinja_only_to_write_a_page() -> None:
    imports = "import waza_lsp.cli.run.reports, waza_lsp.cli.stored.compare, waza_lsp.cli.stored.runs, waza_lsp.cli.check"
    assert "jinja2" not in _loaded_by(imports)
    page = "; from waza_engine.reports.html.history import history_page; list(history_page([]))"
    assert "jinja2" in _loaded_by(imports + page)


@pytest.mark.parametrize(
    "command", first_quick(["check {}", "check --format json {}", "check --fix {}", "run {}", "runs list"], 2)
)
def test_commands_do_without_the_classes_of_the_protocol(command: str, tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    path.write_text("nmae: a\nskill: b\nconfig: {executor: mock}\ntasks: []\n", encoding="utf-8")
    arguments = [*command.format(path).split(), *(["--store", str(tmp_path)] if "run" in command else [])]
    code = (
        "import sys; from waza_lsp.cli import main\n"
        f"try: main({arguments})\n"
        "finally: print('loaded:', 'Position' in vars(sys.modules['lsprotocol.types']), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stderr.endswith("loaded: False\n"), done.stderr


@pytest.mark.parametrize("command", ["check {}", "run {}", "runs list", "compare last last"])
def test_commands_do_without_libraries_that_they_do_not_use(command: str, tmp_path: Path) -> None:
    left_out = ["rich", "jinja2", "jsonschema", "ruamel"]
    if "run {}" not in command:
        left_out += ["asyncio", "pygls", "importlib.metadata"]
    path = tmp_path / "eval.yaml"
    path.write_text("name: a\nskill: b\nconfig: {executor: mock}\ntasks: []\n", encoding="utf-8")
    store = [] if "check" in command else ["--store", str(tmp_path)]
    arguments = [*command.format(path).split(), *store]
    code = (
        "import sys; from waza_lsp.cli import main\n"
        f"try: main({arguments})\n"
        f"finally: print('loaded:', sorted(set(sys.modules) & set({left_out})), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stderr.endswith("loaded: []\n"), done.stderr


def test_positions_are_converted_in_one_file_only() -> None:
    converter = ROOT / "waza_lsp/syntax/text.py"
    found = [
        it.relative_to(ROOT).as_posix()
        for it in (ROOT / "waza_lsp").rglob("*.py")
        if it != converter
        and re.search(r"types\.Position\(|\.character\b(?!\")", it.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.slow
def test_the_wheel_holds_the_two_packages_the_schemas_and_the_pages(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [it for it in archive.namelist() if ".dist-info/" not in it]
        archive.extractall(tmp_path / "out")
    assert {it.split("/")[0] for it in names} == {"waza_lsp", "waza_engine"}
    assert {"waza_lsp/py.typed", "waza_engine/py.typed", "waza_engine/__init__.pyi"} <= set(names)
    committed = {it.relative_to(ROOT).as_posix() for it in (ROOT / "schemas").rglob("*.json")}
    assert {it.removeprefix("waza_engine/") for it in names if it.endswith(".schema.json")} == committed
    pages = [it for folder in ("graders", "rules") for it in (ROOT / "docs" / folder).rglob("*.md")]
    inside = "waza_engine/pages/"
    assert {it.removeprefix(inside) for it in names if it.startswith(inside)} == {
        it.relative_to(ROOT / "docs").as_posix() for it in pages
    }
    example = [it for it in (ROOT / "examples" / EXAMPLE).rglob("*") if it.is_file()]
    inside = "waza_lsp/studio/examples/"
    assert {it.removeprefix(inside) for it in names if it.startswith(inside)} == {
        it.relative_to(ROOT / "examples").as_posix() for it in example
    }
    assert "waza_lsp/studio/page/index.html" in names
    templates = (ROOT / "engine/waza_engine/reports/html/templates").iterdir()
    packed = [it for it in names if it.startswith("waza_engine/reports/html/templates/")]
    assert {it.rpartition("/")[2] for it in packed} == {it.name for it in templates}
    code = (
        "from waza_engine.analysis.schema.files import schema_names; print(len(schema_names()));"
        "from waza_lsp.cli.pages.manual import entries; assert len(entries('rules/')) > 100"
    )
    result = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={"PYTHONPATH": str(tmp_path / "out"), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(result.stdout) == len(committed)
