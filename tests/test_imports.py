"""No file imports itself in a circle, neither late (inside functions) nor for types only. import-linter sees packages only."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
Graph = dict[str, set[str]]


def _cycle(graph: Graph) -> list[str]:
    """Return a cycle of the graph, [] if it has none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _python_imports(roots: dict[str, Path]) -> Graph:
    """Return the modules that each module of these packages imports anywhere in its file."""
    files: dict[str, Path] = {}
    for package, folder in roots.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            files[".".join(parts).removesuffix(".__init__")] = path
    return {name: _imported(path, files) - {name} for name, path in files.items()}


def _imported(path: Path, known: dict[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {it.name for it in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, path
            modules = (f"{node.module}.{it.name}" for it in node.names)
            found |= {it if it in known else str(node.module) for it in modules}
    return found & known.keys()


def _typescript_imports(folder: Path) -> Graph:
    return {path.stem: set(_relative_imports(path)) for path in folder.rglob("*.ts")}


def _relative_imports(path: Path) -> Iterator[str]:
    for it in re.finditer(
        r"""(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]""", path.read_text(encoding="utf-8")
    ):
        yield Path(it[1]).name


def test_no_python_file_imports_itself_in_a_circle() -> None:
    graph = _python_imports({"waza_engine": ROOT / "engine/waza_engine", "waza_lsp": ROOT / "waza_lsp"})
    assert "waza_engine.model.findings" in graph["waza_lsp.features.diagnostics"]
    assert _cycle(graph) == []


def test_no_typescript_file_imports_itself_in_a_circle() -> None:
    graph = _typescript_imports(ROOT / "editor-client/vscode/src")
    assert {"server", "serverStatus"} <= graph["extension"]
    assert _cycle(graph) == []


def test_late_and_type_only_imports_count(tmp_path: Path) -> None:
    texts = {
        "__init__": "",
        "a": "from p import b\n",
        "b": "def late():\n    import p.c\n",
        "c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import Thing\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    graph = _python_imports({"p": tmp_path})
    assert graph == {"p": set(), "p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": {"p.a"}}
    assert set(_cycle(graph)) == {"p.a", "p.b", "p.c"}
