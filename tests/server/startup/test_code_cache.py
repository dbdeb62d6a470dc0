"""Code compiled at the start is cached for the next one, and equals what Python would compile."""

import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from waza_lsp.server.startup import code_cache as module
from waza_lsp.server.startup.code_cache import AT_FIRST, COMPILING, CacheFile, CodeCache, _PatternCompiler

SOURCE = "def answer(it: NotKnown = 1):\n    return it + 1\n"


def made(it: CodeCache, source: str = SOURCE, filename: str = "<made>") -> FunctionType:
    found: dict[str, FunctionType] = {}
    exec(it.compile(source, filename, "exec"), {"NotKnown": int}, found)  # noqa: S102  # as the libraries do
    return found["answer"]


def kept(path: Path, *sources: str) -> CacheFile:
    it = CodeCache(CacheFile(path))
    for source in sources or (SOURCE,):
        made(it, source)
    it.save()
    return CacheFile(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "methods.marshal"


def test_a_second_start_compiles_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = kept(path)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(module, "compile", refuse, raising=False)
    assert made(CodeCache(there))(1) == 2


def test_another_text_name_or_mode_is_another_thing(path: Path) -> None:
    it = CodeCache(kept(path))
    assert made(it, SOURCE.replace("+ 1", "+ 2"))(1) == 3
    assert made(it, filename="<other>").__code__.co_filename == "<other>"
    assert eval(it.compile("1 + 1", "<made>", "eval")) == 2  # noqa: S307  # our own text


def test_the_caller_s_future_lines_count(path: Path) -> None:
    """Functions postpone annotations exactly if their module does."""
    it = CodeCache(kept(path))
    caller = "def make(it, source):\n    found = {}\n    exec(it.compile(source, '<made>', 'exec'), {'NotKnown': int}, found)\n"
    caller += "    return found['answer'].__annotations__\n"
    for head, expected in (("", int), ("from __future__ import annotations\n", "NotKnown")):
        there = ModuleType("there")
        exec(compile(head + caller, "<there>", "exec", dont_inherit=True), there.__dict__)  # noqa: S102  # our own text
        assert there.make(it, SOURCE) == {"it": expected}


def test_what_is_executed_is_kept_too(path: Path) -> None:
    for _ in range(2):
        it, found = CodeCache(CacheFile(path)), dict[str, Any]()
        it.execute(SOURCE, {"NotKnown": int}, found)
        it.execute(compile("more = 1", "<made>", "exec"), {}, found)
        assert found["answer"](1) == 2
        assert found["more"] == 1
        it.save()


PATTERNS = [
    ("a+", 0),
    ("a+", re.IGNORECASE),
    ("(?i:é)|ß", re.IGNORECASE),
    (r"(?P<year>\d{4})-(?P<month>\d\d)(x)?", re.ASCII),
    (r"(?x) a  # b", re.MULTILINE),
    ("[^\\x09\\x0A -~\\x85\\xA0-\\uD7FF\\U00010000-\\U0010ffff]", 0),
    (r"(?<!a)b(?=c)(?>d*)\1?".replace("\\1?", ""), re.DOTALL),
    (r"(a)(?(1)b|c)\1", 0),
    ("", 0),
]
SUBJECTS = ["", "aAaé", "2024-05x", "ab", "É ss ß", "\0\x7f\ud800", "bcddd", "aba"]


def test_kept_patterns_are_those_that_python_makes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler: Any = re._compiler  # type: ignore[attr-defined]  # what is stood in for
    first = CacheFile(path)
    for pattern, flags in PATTERNS:
        _PatternCompiler(first, compiler).compile(pattern, int(flags))
    first.write()
    second = _PatternCompiler(CacheFile(path), compiler)
    monkeypatch.setattr(second, "_plain", None)
    for pattern, flags in PATTERNS:
        again, plain = second.compile(pattern, int(flags)), re.compile(pattern, flags)
        assert again == plain
        assert (again.pattern, again.flags, again.groups) == (plain.pattern, plain.flags, plain.groups)
        assert again.groupindex == plain.groupindex
        for subject in SUBJECTS:
            one, other = again.search(subject), plain.search(subject)
            assert (one and (one.span(), one.groups(), one.groupdict(), one.lastgroup)) == (
                other and (other.span(), other.groups(), other.groupdict(), other.lastgroup)
            )


def test_patterns_of_bytes_and_wrong_ones_are_left_to_python(path: Path) -> None:
    it = _PatternCompiler(CacheFile(path), re._compiler)  # type: ignore[attr-defined]  # as above
    assert it.compile(b"a+").search(b"ba")
    with pytest.raises(re.error):
        it.compile("(")


def test_commands_keep_patterns_of_modules_only(path: Path) -> None:
    """Others may be those of the user's files."""
    source = """
import re
re.purge()
re.compile("of-a-module+")
class It:
    place = re.compile("of-a-class+")
def search():
    return re.compile("of-a-file+")
search()
"""
    cache = CodeCache(CacheFile(path))
    cache.intercept("re._compiler", only_own_patterns=True)
    exec(source, {"__name__": "made"})  # noqa: S102  # our own
    cache.save()
    kept = CacheFile(path)
    known = [it for it in ("module", "class", "file") if kept.find(f"pattern 0\nof-a-{it}+") is not None]
    assert known == ["module", "class"]


def test_in_the_end_everybody_compiles_alone_again(path: Path) -> None:
    import dataclasses

    compiler: Any = re._compiler  # type: ignore[attr-defined]  # as above
    before = compiler.compile, dict(vars(dataclasses))
    it = CodeCache(CacheFile(path))
    it.intercept(*AT_FIRST, "no.such.module")
    assert compiler.compile != before[0]
    assert dataclasses.make_dataclass("Made", ["x"])(1).x == 1
    it.save()
    assert (compiler.compile, dict(vars(dataclasses))) == before
    it.save()


def test_without_a_file_nothing_is_stood_in_for() -> None:
    before = re._compiler.compile  # type: ignore[attr-defined]  # as above
    CodeCache(None).intercept(*COMPILING)
    assert re._compiler.compile is before  # type: ignore[attr-defined]  # as above


_CLASSES = """
import marshal, sys
from pathlib import Path
from waza_lsp.server.startup.code_cache import COMPILING, CodeCache
from waza_lsp.server.startup.code_cache import CacheFile
kept = CacheFile(Path(sys.argv[1])) if sys.argv[1] else None
it = CodeCache(kept)
it.intercept(*COMPILING)
from lsprotocol import types, converters
converter = converters.get_converter()
params = {"textDocument": {"uri": "u", "version": 2}, "contentChanges": [{"text": "a"}]}
change = converter.structure(params, types.DidChangeTextDocumentParams)
print(converter.unstructure(change), len(kept._read if kept else ()), len(kept._new if kept else ()), file=sys.stderr)
codes = [
    (name, kind, function.__code__)
    for name, made in sorted(vars(types).items()) if isinstance(made, type)
    for kind, function in sorted(vars(made).items()) if hasattr(function, "__code__")
]
sys.stdout.buffer.write(marshal.dumps(codes, 0))
it.save()
"""


def test_lsprotocol_is_the_same_with_what_is_kept(path: Path) -> None:
    """All methods of all its classes are equal byte for byte, and the libraries call our replacements."""
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
    for name in COMPILING:
        __import__(name)
        text = Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8")
        assert "compile(" in text or "exec(" in text
