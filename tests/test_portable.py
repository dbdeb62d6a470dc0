"""The product works on Linux, macOS and Windows: only one package uses what one of these systems lacks.

The lists of what a system lacks come from typeshed, which mypy brings. `mypy --platform` checks the same package in `.ci/run`.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import waza_engine
import waza_lsp

_ROOTS = (Path(waza_engine.__file__).parent, Path(waza_lsp.__file__).parent)
_PACKAGE = "waza_engine/lib/system/"
_SCRIPTS = {
    "waza_engine/assertions/python_worker.py": "runs in an interpreter of its own, without this package",
    "waza_engine/assertions/wall.py": "runs in an interpreter of its own, on Linux",
}
_REASONS = {
    "waza_engine/lib/process/reaper.py": {"os.register_at_fork"},
    "waza_lsp/server/transport/connection.py": {"os.pidfd_open", "select.poll"},
}
"""Uses that check first whether the system has the function."""
_MODULES = frozenset(
    [
        *(
            "crypt",
            "curses",
            "fcntl",
            "grp",
            "nis",
            "ossaudiodev",
            "posix",
            "pty",
            "pwd",
            "readline",
            "resource",
        ),
        *("spwd", "syslog", "termios", "tty", "_curses", "_posixsubprocess", "_posixshmem"),
        *("msvcrt", "nt", "winreg", "winsound", "_winapi", "_overlapped", "ctypes.wintypes"),
        *("asyncio.unix_events", "asyncio.windows_events", "multiprocessing.popen_fork"),
    ]
)
"""Modules that one of the three systems lacks."""
_ATTRIBUTES_OF = ("os", "signal", "socket", "select", "time", "subprocess", "sys", "shutil", "errno", "stat")
_SYSTEMS = ("linux", "darwin", "win32")


@cache
def _files() -> list[tuple[str, ast.Module]]:
    return [
        (path.relative_to(root.parent).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for root in _ROOTS
        for path in sorted(root.rglob("*.py"))
    ]


def _imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (it.name for it in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{it.name}" for it in node.names)


def test_only_one_package_imports_what_a_system_lacks() -> None:
    found = {
        (name, it)
        for name, tree in _files()
        for node in ast.walk(tree)
        for it in _imports(node)
        if it in _MODULES and not name.startswith(_PACKAGE) and name not in _SCRIPTS
    }
    assert not found


def test_this_package_imports_it_late() -> None:
    """At the top of a module, only the module for Windows does, whose first statement is a check of the system."""
    for name, tree in _files():
        late = {
            id(it) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for it in ast.walk(node)
        }
        early = [
            it for node in ast.walk(tree) if id(node) not in late for it in _imports(node) if it in _MODULES
        ]
        if name == f"{_PACKAGE}windows.py":
            first = next(it for it in tree.body if not isinstance(it, ast.Expr | ast.Import | ast.ImportFrom))
            assert ast.unparse(first) == "assert sys.platform == 'win32'"
        elif name not in _SCRIPTS:
            assert not early, name


def test_only_one_package_uses_names_that_a_system_lacks() -> None:
    pytest.importorskip("mypy")
    found = {
        (name, it)
        for name, tree in _files()
        for it in _attributes(tree)
        if not name.startswith(_PACKAGE) and name not in _SCRIPTS and it not in _REASONS.get(name, ())
    }
    assert not found


def test_the_lists_hold_what_they_should() -> None:
    pytest.importorskip("mypy")
    lacking = _lacking("os") | _lacking("signal") | _lacking("socket")
    assert {
        "fork",
        "killpg",
        "getuid",
        "O_NOFOLLOW",
        "O_BINARY",
        "startfile",
        "SIGKILL",
        "CTRL_C_EVENT",
    } <= lacking
    assert "AF_UNIX" in lacking
    assert lacking.isdisjoint(["open", "getpid", "kill", "replace", "SIGTERM", "SIGINT", "socketpair"])


def _attributes(tree: ast.Module) -> Iterator[str]:
    """Yield the used names that one of the systems lacks, such as `os.fork`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = node.value.id
            if module in _ATTRIBUTES_OF and node.attr in _lacking(module):
                yield f"{module}.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module in _ATTRIBUTES_OF:
            yield from (f"{node.module}.{it.name}" for it in node.names if it.name in _lacking(node.module))


@cache
def _lacking(module: str) -> frozenset[str]:
    """Return the public names of a module of Python that not all three systems have."""
    by_system = [frozenset(_names(_stub(module), it)) for it in _SYSTEMS]
    return frozenset.union(*by_system) - frozenset.intersection(*by_system)


def _stub(module: str) -> list[ast.stmt]:
    import mypy

    folder = Path(mypy.__file__).parent / "typeshed" / "stdlib"
    path = folder / f"{module}.pyi"
    path = path if path.is_file() else folder / module / "__init__.pyi"
    return ast.parse(path.read_text(encoding="utf-8")).body


def _names(body: list[ast.stmt], system: str) -> Iterator[str]:
    """Yield what a stub defines on a system."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _names(node.body if _holds(node.test, system) else node.orelse, system)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (it.id for it in node.targets if isinstance(it, ast.Name))
        elif isinstance(node, ast.ImportFrom):
            yield from (it.asname or it.name for it in node.names)


def _holds(test: ast.expr, system: str) -> bool:
    """Whether a condition of a stub holds on a system; conditions on versions do."""
    if isinstance(test, ast.BoolOp):
        return (all if isinstance(test.op, ast.And) else any)(_holds(it, system) for it in test.values)
    if isinstance(test, ast.Compare) and ast.unparse(test.left) == "sys.platform":
        is_equal = ast.literal_eval(test.comparators[0]) == system
        return is_equal if isinstance(test.ops[0], ast.Eq) else not is_equal
    return True
