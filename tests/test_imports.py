"""No file imports itself in a circle, and what the packages import is what `pyproject.toml` declares.

Imports inside functions and for types only count. import-linter sees packages only.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {"waza_engine": ROOT / "engine/waza_engine", "waza_lsp": ROOT / "waza_lsp"}
Graph = dict[str, set[str]]
_MODULES = {
    "agent-client-protocol": "acp",
    "github-copilot-sdk": "copilot",
    "google-re2": "re2",
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry",
    "opentelemetry-sdk": "opentelemetry",
    "pyyaml": "yaml",
    "ruamel.yaml": "ruamel",
}
"""The modules of distributions that have another name."""


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


def _foreign_modules(roots: dict[str, Path]) -> set[str]:
    """Return the top-level modules that these packages import and that belong to neither them nor Python."""
    trees = (
        ast.parse(it.read_text(encoding="utf-8")) for root in roots.values() for it in root.rglob("*.py")
    )
    found = {name.partition(".")[0] for tree in trees for node in ast.walk(tree) for name in _names(node)}
    return found - roots.keys() - sys.stdlib_module_names


def _names(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [it.name for it in node.names]
        case ast.ImportFrom():
            return [str(node.module)]
        case ast.Call(
            func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"),
            args=[ast.Constant(value=str(name))],
        ):
            return [name]
        case _:
            return []


def _declared() -> tuple[set[str], set[str]]:
    """Return the modules of the dependencies, and those of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (it for extra in project["optional-dependencies"].values() for it in extra)
    return {_module(it) for it in project["dependencies"]}, {_module(it) for it in extras}


def _module(requirement: str) -> str:
    name = re.split(r"[\s<>=!~\[;]", requirement)[0].lower()
    return _MODULES.get(name, name.replace("-", "_"))


def _typescript_imports(folder: Path) -> Graph:
    return {path.stem: set(_relative_imports(path)) for path in folder.rglob("*.ts")}


def _relative_imports(path: Path) -> Iterator[str]:
    for it in re.finditer(
        r"""(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]""", path.read_text(encoding="utf-8")
    ):
        yield Path(it[1]).name


def test_no_python_file_imports_itself_in_a_circle() -> None:
    graph = _python_imports(PACKAGES)
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


def test_every_dependency_is_imported_somewhere() -> None:
    needed, _ = _declared()
    assert needed - _foreign_modules(PACKAGES) == set()


def test_every_imported_module_is_declared() -> None:
    needed, extras = _declared()
    assert _foreign_modules(PACKAGES) - needed - extras == set()


def test_every_way_to_import_is_seen(tmp_path: Path) -> None:
    text = """\
import os, a.b
from p import own
def late():
    import importlib
    from c.d import e
    importlib.import_module("f.g")
"""
    (tmp_path / "m.py").write_text(text, encoding="utf-8")
    assert _foreign_modules({"p": tmp_path}) == {"a", "c", "f"}
