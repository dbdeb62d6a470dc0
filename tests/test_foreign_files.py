"""Only `lib.files.safe_read` opens files that others wrote; other modules say why they open a file themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

import waza_engine
import waza_lsp

_ROOTS = (Path(waza_engine.__file__).parent, Path(waza_lsp.__file__).parent)
_METHODS = frozenset(["open", "read_text", "read_bytes", "copyfile", "copy2", "copytree", "fromfile"])
_FUNCTIONS = frozenset(
    [
        *("open", "io.open", "os.open", "gzip.open", "json.load", "tomllib.load", "linecache.getlines"),
        *("zlib.decompress", "zlib.decompressobj", "sqlite3.connect", "shutil.copy"),
    ]
)
_OURS = {
    "waza_engine/lib/files/safe_read.py": "the door",
    "waza_engine/lib/files/safe_write.py": "writes new files with unguessable names, and what is no file: /dev/stdout",
    "waza_engine/runs/store/connection.py": "the door to stores",
    "waza_engine/__init__.py": "reads its own stub",
    "waza_engine/plugins.py": "reads metadata of installed packages, as Python's import does",
    "waza_engine/analysis/schema/files.py": "reads schemas of this package",
    "waza_engine/judges/rubrics/template.py": "reads templates of this package",
    "waza_engine/judges/rubrics/rubric.py": "reads built-in rubrics; others come through the door",
    "waza_engine/assertions/interpreters.py": "reads programs of this package",
    "waza_engine/assertions/python_worker.py": "opens /dev/null",
    "waza_engine/assertions/wall.py": "opens folders of the interpreter, and /proc/self",
    "waza_engine/lib/process/reaper.py": "reads /proc",
    "waza_engine/runs/run_header.py": "reads /proc",
    "waza_engine/mocks/command.py": "a program of its own, which reads and appends to files that the run has just made",
    "waza_engine/mocks/mcp_server.py": "a program of its own, which reads a file that the run has just made",
    "waza_engine/judges/openai.py": "opens an address, not a file",
    "waza_lsp/server/handlers/notifications.py": "a method named open",
    "waza_lsp/server/startup/capabilities.py": "reads a file of this package",
    "waza_lsp/server/settings_page.py": "a tool of the repository",
    "waza_lsp/server/startup/code_cache.py": "reads the user's cache, with checks of its own (docs/threat-model.md)",
    "waza_lsp/server/live/worker.py": "opens /dev/null",
    "waza_lsp/cli/regrade_events.py": "reads standard input, opens /dev/null",
    "waza_lsp/cli/console.py": "opens /dev/null and the standard streams",
}
"""Modules that may open files, each with the reason."""


def test_only_the_door_opens_files_of_others() -> None:
    """Class: a new reader that hangs on a named pipe or reads a sparse file whole."""
    found = {name: lines for name, path in _modules() if (lines := list(_opened(path)))}
    strangers = {name: lines for name, lines in found.items() if name not in _OURS}
    assert not strangers, "read files through waza_engine.lib.files.safe_read, or add a reason to _OURS"
    assert not _OURS.keys() - found.keys(), "these open no files any more: remove them from _OURS"


def test_links_in_a_circle_are_no_error() -> None:
    """Class: `Path.resolve` raises RuntimeError for links in a circle; `lib.paths.real_path` does not."""
    found = [
        f"{name}:{node.lineno}"
        for name, path in _modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and not (node.args or node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "resolve"
        if "__file__" not in ast.unparse(node) and name != "waza_engine/mocks/command.py"
    ]
    assert not found


def test_the_walk_finds_what_it_forbids(tmp_path: Path) -> None:
    bad = [
        "path.read_text()",
        "open(x)",
        "path.open('rb')",
        "json.load(f)",
        "zlib.decompress(x)",
        "os.open(p, 0)",
    ]
    good = ["regular_text(path)", "json.loads(x)", "path.write_text('x')", "zlib.compress(b'')"]
    module = tmp_path / "module.py"
    module.write_text("\n".join([*bad, *good]), encoding="utf-8")
    assert [it for it, _ in _opened(module)] == [1, 2, 3, 4, 5, 6]


def _modules() -> Iterator[tuple[str, Path]]:
    for root in _ROOTS:
        for path in sorted(root.rglob("*.py")):
            yield path.relative_to(root.parent).as_posix(), path


def _opened(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in _FUNCTIONS or (isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS):
                yield node.lineno, name
