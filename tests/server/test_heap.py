"""Threads and the heap of the C library."""

import platform
import subprocess
import sys

import pytest

_HEAPS = """
import ctypes, re, sys, tempfile, threading
from waza_lsp.server.memory import share_one_heap

if "one" in sys.argv:
    share_one_heap()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
together = threading.Barrier(5)

def work():
    together.wait(60)
    library.malloc(10_000)
    together.wait(60)

for _ in range(4):
    threading.Thread(target=work).start()
together.wait(60)
together.wait(60)
library.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(library.fopen(file.name.encode(), b"w"))
    library.malloc_info(0, stream)
    library.fclose(stream)
    print(len(re.findall(rb"<heap nr", file.read())))
"""


def _heaps(*arguments: str) -> int:
    command = [sys.executable, "-c", _HEAPS, *arguments]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has a heap for each thread")
def test_threads_share_share_one_heap() -> None:
    assert _heaps() > 1
    assert _heaps("one") == 1


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from waza_lsp.server.memory import share_one_heap

    monkeypatch.setattr(sys, "platform", "win32")
    share_one_heap()
