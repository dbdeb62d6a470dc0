"""What libraries have compiled at the start is kept for the next one, and is never anything but what Python would make of it."""

import marshal
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from waza_lsp.server import compiled as module
from waza_lsp.server.compiled import WRITERS, Compiled, usual_path

SOURCE = "def answer(it: NotKnown = 1):\n    return it + 1\n"


def made(it: Compiled, source: str = SOURCE, filename: str = "<made>") -> FunctionType:
    found: dict[str, FunctionType] = {}
    exec(it.compile(source, filename, "exec"), {"NotKnown": int}, found)  # noqa: S102  # as the libraries do
    return found["answer"]


def kept(path: Path, *sources: str) -> Path:
    it = Compiled(path)
    for source in sources or (SOURCE,):
        made(it, source)
    it.keep()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "methods.marshal"


@pytest.fixture
def never_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(module, "compile", refuse, raising=False)


@pytest.mark.usefixtures("never_compiles")
def test_a_second_start_compiles_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as first:
        first.undo()
        first.setattr(module, "compile", compile, raising=False)
        kept(path)
    assert made(Compiled(path))(1) == 2


def test_another_text_name_or_mode_is_another_thing(path: Path) -> None:
    it = Compiled(kept(path))
    assert made(it, SOURCE.replace("+ 1", "+ 2"))(1) == 3
    assert made(it, filename="<other>").__code__.co_filename == "<other>"
    assert eval(it.compile("1 + 1", "<made>", "eval")) == 2  # noqa: S307  # our own text


def test_the_caller_s_future_lines_count(path: Path) -> None:
    """A module that postpones annotations gets functions that do; one that does not, does not."""
    it = Compiled(kept(path))
    caller = "def make(it, source):\n    found = {}\n    exec(it.compile(source, '<made>', 'exec'), {'NotKnown': int}, found)\n"
    caller += "    return found['answer'].__annotations__\n"
    for head, expected in (("", int), ("from __future__ import annotations\n", "NotKnown")):
        there = ModuleType("there")
        exec(compile(head + caller, "<there>", "exec", dont_inherit=True), there.__dict__)  # noqa: S102  # our own text
        assert there.make(it, SOURCE) == {"it": expected}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda _: b"",
        lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
        lambda data: b"other " + data,
        lambda _: marshal.dumps({}),
    ],
    ids=["end missing", "half", "empty", "one bit", "other version", "no head"],
)
def test_a_file_that_is_not_whole_is_no_file(path: Path, spoil: object) -> None:
    assert callable(spoil)
    kept(path).write_bytes(spoil(path.read_bytes()))
    it = Compiled(path)
    assert made(it)(1) == 2
    it.keep()
    assert module._read(path).keys() == {(SOURCE, "<made>", "exec", 0)}


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_what_others_could_have_written_is_not_executed(path: Path) -> None:
    kept(path).chmod(0o666)
    assert module._read(path) == {}
    path.chmod(0o600)
    assert module._read(path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for this user")
def test_a_folder_that_cannot_be_written_is_no_trouble(path: Path) -> None:
    path.parent.mkdir(mode=0o500)
    kept(path)
    assert not path.exists()


def test_what_takes_the_folder_s_place_is_no_trouble(path: Path) -> None:
    path.parent.write_text("a file", encoding="utf-8")
    kept(path)
    assert made(Compiled(path))(1) == 2


def test_only_a_whole_file_is_ever_there(path: Path) -> None:
    kept(path)
    assert [it.name for it in path.parent.iterdir()] == [path.name]


def test_what_is_still_of_use_stays_and_what_is_not_goes(path: Path) -> None:
    first, second, third = (SOURCE.replace("+ 1", f"+ {number}") for number in (1, 2, 3))
    kept(path, first, second)
    kept(path, second, third)
    assert {key[0] for key in module._read(path)} == {second, third}


def test_a_few_new_texts_are_not_worth_writing(path: Path) -> None:
    many = [SOURCE.replace("+ 1", f"+ {number}") for number in range(30)]
    before = kept(path, *many).read_bytes()
    kept(path, *many, SOURCE.replace("+ 1", "+ 99"))
    assert path.read_bytes() == before


def test_nothing_is_kept_where_python_keeps_no_byte_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert usual_path() is None
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert usual_path() is not None


def test_the_user_s_folder_for_such_things_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(tmp_path))
    found = usual_path()
    assert found is not None
    assert found.parent == tmp_path / "waza-lsp"


_CLASSES = """
import marshal, sys
from pathlib import Path
from waza_lsp.server.compiled import WRITERS, Compiled
it = Compiled(Path(sys.argv[1]) if sys.argv[1] else None)
it.serve(*WRITERS)
from lsprotocol import types, converters
converter = converters.get_converter()
params = {"textDocument": {"uri": "u", "version": 2}, "contentChanges": [{"text": "a"}]}
change = converter.structure(params, types.DidChangeTextDocumentParams)
print(converter.unstructure(change), len(it._kept), len(it._new), file=sys.stderr)
codes = [
    (name, kind, function.__code__)
    for name, made in sorted(vars(types).items()) if isinstance(made, type)
    for kind, function in sorted(vars(made).items()) if hasattr(function, "__code__")
]
sys.stdout.buffer.write(marshal.dumps(codes, 0))
it.keep()
"""


def test_lsprotocol_is_the_same_with_what_is_kept(path: Path) -> None:
    """All methods of all its classes, byte for byte; and the libraries do call what we put in their way."""
    results = [
        subprocess.run([sys.executable, "-P", "-c", _CLASSES, where], capture_output=True, check=True)
        for where in ("", str(path), str(path))
    ]
    plain, first, second = (it.stdout for it in results)
    assert len(plain) > 500_000
    assert plain == first == second
    *_, read, new = results[1].stderr.split()
    assert int(read) == 0
    assert int(new) > 500
    *said, read_again, new_again = results[2].stderr.split()
    assert read_again == new
    assert int(new_again) < 5
    assert b"".join(said) == b"".join(results[0].stderr.split()[:-2])


def test_the_writers_are_modules_that_compile() -> None:
    for name in WRITERS:
        __import__(name)
        assert "compile(" in Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8")
