"""Check many files in several processes. A suite goes to one process, which reads what its files share once."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.process.pool import WorkerError, spread
from waza_engine.lib.system.cores import cores
from waza_engine.project.settings import Projects
from waza_lsp.cli.check.checks import Checks
from waza_lsp.cli.check.report import CheckedFile
from waza_lsp.cli.check.sources import FoundFile, Reader
from waza_lsp.cli.console import give_up

_LEAST, _MOST = 40, 120
"""How many files a process checks at once: at least, unless they are the last ones, and at most."""


class _Checked(NamedTuple):
    """The checked files of one chunk, and the bugs of ours."""

    files: list[CheckedFile]
    failures: list[str]


def check_spread(
    reader: Reader, found: Sequence[FoundFile], checks: Checks, failures: list[str], jobs: int | None
) -> Iterator[CheckedFile]:
    """Yield the checked files in their order. Bugs of ours are added to `failures`.

    This process checks the first files before others start: with `fork`, they begin with all that it has imported.
    """
    chunks = [*_chunks(found)]
    work = partial(_check_chunk, checks, reader.dialect)
    _readers[reader.dialect] = reader
    try:
        yield from _taken(work(chunks[0]), failures)
        rest = chunks[1:]
        if rest:
            with closing(spread(work, rest, min(jobs or cores(), len(rest)))) as results:
                for it in results:
                    yield from _taken(it, failures)
    except WorkerError as error:
        give_up(f"{error}. It may have run out of memory; try --jobs 1")
    finally:
        _readers.clear()


def _taken(checked: _Checked, failures: list[str]) -> list[CheckedFile]:
    failures += checked.failures
    return checked.files


def _check_chunk(checks: Checks, dialect: str, chunk: Sequence[FoundFile]) -> _Checked:
    reader = _readers.get(dialect)
    if reader is None:
        reader = _readers[dialect] = Reader(dialect, Projects(is_final=True), Files().snapshot(is_final=True))
    failures: list[str] = []
    files = [checks.of(it, failures) for it in reader.read(chunk)]
    return _Checked(files, failures)


_readers: dict[str, Reader] = {}
"""What reads the files of this process, by dialect."""


def _chunks(found: Sequence[FoundFile]) -> Iterator[list[FoundFile]]:
    """Yield the files in chunks. Each begins with a suite, if that makes no chunk too large."""
    chunk: list[FoundFile] = []
    top = ""
    for it in found:
        if _begins_suite(it.path, top):
            top = os.path.join(os.path.dirname(it.path), "")  # noqa: PTH118, PTH120  # for each of many files
            is_full = len(chunk) >= _LEAST
        else:
            is_full = len(chunk) >= _MOST
        if is_full:
            yield chunk
            chunk = []
        chunk.append(it)
    yield chunk


def _begins_suite(path: Path, top: str) -> bool:
    """Whether a file is an eval by its name, or not below the folder of the suite that the files before it are of."""
    return "eval" in path.name or not str(path).startswith(top)
