"""Only `lib.files.safe_read` opens files that others wrote; other modules say why they open a file themselves."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import waza_engine
import waza_lsp
from tests.forked import forked
from tests.slow import first_quick

_ROOTS = (Path(waza_engine.__file__).parent, Path(waza_lsp.__file__).parent)
_METHODS = frozenset(["open", "read_text", "read_bytes", "copyfile", "copy2", "copytree", "fromfile"])
"""Of paths, and of modules under any name."""
_FUNCTIONS = frozenset(
    [
        *(
            "open",
            "io.open",
            "io.FileIO",
            "io.open_code",
            "os.open",
            "os.sendfile",
            "codecs.open",
            "json.load",
        ),
        *("tomllib.load", "pickle.load", "marshal.load", "linecache.getline", "linecache.getlines"),
        *("zlib.decompress", "zlib.decompressobj", "sqlite3.connect"),
        *("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.unpack_archive"),
        *("runpy.run_path", "mmap.mmap", "urllib.request.urlopen", "configparser.ConfigParser"),
        *("numpy.load", "numpy.memmap", "numpy.fromfile"),
    ]
)
_MODULES = frozenset(["gzip", "bz2", "lzma", "zipfile", "tarfile", "shelve", "dbm", "fileinput", "netrc"])
"""Whose only purpose is to read files."""
_OURS = {
    "waza_engine/lib/files/safe_read.py": "the door",
    "waza_engine/lib/files/safe_write.py": "writes new files with unguessable names, and what is no file: /dev/stdout",
    "waza_engine/runs/store/connection.py": "the door to stores",
    "waza_engine/lib/files/spill.py": "unpacks what it has packed, in a file without a name",
    "waza_engine/__init__.py": "reads its own stub",
    "waza_engine/plugins.py": "reads metadata of installed packages, as Python's import does",
    "waza_engine/analysis/schema/files.py": "reads schemas of this package",
    "waza_engine/judges/rubrics/template.py": "reads templates of this package",
    "waza_engine/judges/rubrics/rubric.py": "reads built-in rubrics; others come through the door",
    "waza_engine/reports/trace/page.py": "reads the viewer of this package",
    "waza_engine/assertions/interpreters.py": "reads programs of this package",
    "waza_engine/assertions/python_worker.py": "opens /dev/null",
    "waza_engine/assertions/wall.py": "opens folders of the interpreter, and /proc/self",
    "waza_engine/lib/system/linux.py": "reads /proc",
    "waza_engine/lib/system/open_files.py": "opens for the doors, and folders to learn their names",
    "waza_engine/runs/run_header.py": "reads /proc",
    "waza_engine/runs/changed/tree.py": "writes new files into a folder that it has just made",
    "waza_engine/mocks/command.py": "a program of its own, which reads and appends to files that the run has just made",
    "waza_engine/mocks/mcp_server.py": "a program of its own, which reads a file that the run has just made",
    "waza_engine/judges/openai.py": "opens an address, not a file",
    "waza_lsp/cli/ci/github_api.py": "opens an address, not a file",
    "waza_lsp/cli/ci/event.py": "appends to a file that the workflow's runner names",
    "waza_lsp/cli/ci/artifacts.py": "unpacks a bounded archive in memory, each file of it with a limit",
    "waza_lsp/server/handlers/notifications.py": "a method named open",
    "waza_lsp/server/startup/capabilities.py": "reads a file of this package",
    "waza_engine/generate/pages.py": "a tool of the repository",
    "waza_lsp/generate/__main__.py": "a tool of the repository",
    "waza_lsp/cli/doctor/facts.py": "reads metadata of this package",
    "waza_lsp/cli/pages/manual.py": "reads pages of this package",
    "waza_lsp/server/startup/code_cache.py": "reads the user's cache, with checks of its own (docs/threat-model.md)",
    "waza_lsp/server/helper/process/answering.py": "opens /dev/null",
    "waza_lsp/cli/grade/regrade_events.py": "reads standard input, opens /dev/null",
    "waza_lsp/syntax/cursor/outline.py": "a variable named open",
    "waza_lsp/syntax/cursor/surroundings.py": "a field named open",
    "waza_lsp/studio/app.py": "reads the page of this package, and a report that a child has just written",
    "waza_lsp/studio/start.py": "opens an address, not a file",
    "waza_lsp/studio/demo.py": "copies an example of this package",
    "waza_lsp/cli/console.py": "opens /dev/null and the standard streams",
}
"""Modules that may open files, each with the reason."""


def test_only_the_door_opens_files_of_others() -> None:
    """Class: a new reader that hangs on a named pipe or reads a sparse file whole."""
    found = {name: lines for name, path in _modules() if (lines := list(_opened(path)))}
    strangers = {name: lines for name, lines in found.items() if name not in _OURS}
    assert not strangers, "read files through waza_engine.lib.files.safe_read, or add a reason to _OURS"
    assert not _OURS.keys() - found.keys(), "these open no files any more: remove them from _OURS"


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "text",
    [
        *(
            "path.read_text()",
            "open(x)",
            "path.open('rb')",
            "reader = path.read_bytes",
            "map(Path.open, paths)",
        ),
        *("import json as j; j.load(f)", "from json import load as l; l(f)", "os.open(p, 0)", "import gzip"),
        *(
            "import io; io.FileIO(p)",
            "from os import open as o; o(p, 0)",
            "import zlib as z; z.decompress(x)",
        ),
        *("from zipfile import ZipFile", "import tarfile as t", "import sqlite3 as s; s.connect(p)"),
        *(
            "from tomllib import load; load(f)",
            "getattr(path, 'read_bytes')()",
            "from shutil import copy2; copy2(a, b)",
        ),
        *(
            "def f():\n    import bz2",
            "import urllib.request as r; r.urlopen('file:///x')",
            "import mmap; mmap.mmap(0, 1)",
        ),
        *("import builtins; builtins.open(p)", "from sqlite3 import dbapi2; dbapi2.connect(p)"),
    ],
)
def test_the_walk_finds_what_it_forbids(text: str, tmp_path: Path) -> None:
    """Class: names under which a file can be opened."""
    module = tmp_path / "module.py"
    module.write_text(text, encoding="utf-8")
    assert list(_opened(module))


@pytest.mark.parametrize(
    "text", ["regular_text(path)", "json.loads(x)", "path.write_text('x')", "import zlib; zlib.compress(b'')"]
)
def test_the_walk_allows_the_rest(text: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(text, encoding="utf-8")
    assert not list(_opened(module))


_WATCH = """
import os, sys
from waza_lsp.__main__ import main
root = os.path.realpath(sys.argv.pop(1)) + "/"
doors = tuple(f"/{it}.py" for it in sys.argv.pop(1).split(","))
def watch(event, arguments):
    if event in ("open", "sqlite3.connect") and isinstance(arguments[0], str | os.PathLike):
        path = os.path.join(os.getcwd(), os.fspath(arguments[0]))
        frame = sys._getframe()
        while path.startswith(root) and frame is not None and not frame.f_code.co_filename.endswith(doors):
            frame = frame.f_back
        if frame is None:
            os.write(2, f"BESIDE THE DOOR: {path}\\n".encode())
sys.addaudithook(watch)
main()
"""


@pytest.mark.parametrize(
    "command",
    first_quick(
        [
            *(
                "check",
                "run eval.yaml --html r.html --record recordings",
                "report",
                "runs list",
                "check --fix",
            ),
            *("run eval.yaml --executor replay --recordings recordings", "grade --run last"),
            *("convert eval.yaml --to vally --out there", "compare last last", "runs history"),
        ],
        2,
    ),
)
def test_every_file_of_a_workspace_is_opened_by_the_door(command: str, tmp_path: Path) -> None:
    """Class: readers that no walk of our source finds, such as those of libraries."""
    suite = tmp_path / "suite"
    (suite / "fixtures").mkdir(parents=True)
    (suite / "tasks").mkdir()
    files = {
        "eval.yaml": "name: n\nskill: s\n"
        "config: {executor: mock, model: m, trials_per_task: 1, timeout_seconds: 5}\n"
        "tasks: ['tasks/*.yaml']\n",
        "tasks/a.yaml": "id: a\nname: A\ninputs: {prompt: x, files: [{path: a.txt}]}\n"
        "graders: [{type: json_schema, name: j, config: {schema_file: s.json}}]\n",
        "fixtures/a.txt": "a",
        "s.json": "{}",
        "pyproject.toml": "[tool.waza-lsp]\n",
        "package.json": "{}",
        ".gitignore": "x\n",
    }
    for name, text in files.items():
        (suite / name).write_text(text, encoding="utf-8")
    if command.startswith(("report", "runs", "grade", "compare")) or "replay" in command:
        forked("run", "eval.yaml", "--record", "recordings", cwd=suite)
    doors = "files/safe_read,files/safe_write,store/connection,runs/store/file"
    done = subprocess.run(
        [sys.executable, "-P", "-c", _WATCH, str(suite), doors, *command.split()],
        cwd=suite,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert "BESIDE THE DOOR" not in done.stderr


def _modules() -> Iterator[tuple[str, Path]]:
    for root in _ROOTS:
        for path in sorted(root.rglob("*.py")):
            yield path.relative_to(root.parent).as_posix(), path


def _opened(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update((it.asname, it.name) for it in node.names if it.asname)
            yield from ((node.lineno, it.name) for it in node.names if it.name.split(".")[0] in _MODULES)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.update((it.asname or it.name, f"{node.module}.{it.name}") for it in node.names)
            if str(node.module).split(".")[0] in _MODULES:
                yield node.lineno, str(node.module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            first, dot, rest = ast.unparse(node).partition(".")
            name = f"{names.get(first, first)}{dot}{rest}".removeprefix("builtins.")
            name = name.replace("sqlite3.dbapi2.", "sqlite3.")
            is_method = isinstance(node, ast.Attribute) and node.attr in _METHODS
            if name in _FUNCTIONS or (is_method and isinstance(node.ctx, ast.Load)):
                yield node.lineno, name
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            named = [it.value for it in node.args if isinstance(it, ast.Constant)]
            yield from ((node.lineno, str(it)) for it in named if it in _METHODS)
