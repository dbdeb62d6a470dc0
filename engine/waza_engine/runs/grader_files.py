"""The files that verdicts depend on beside the agent's work: what graders read, and the programs that they start.

Each grader type declares which these are (`run_files`, `more_files`, `program_options`). What such a program reads of
its own accord nobody can know.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from waza_engine.file_digests import FileDigests, command_files, digest, file_digest
from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader
from waza_engine.paths import is_directory
from waza_engine.runs.small_files import small_files
from waza_engine.scalars import plain
from waza_engine.suite import GraderEntry

_MOST = 1000


class Digests:
    """Digests that are taken once: many tasks name the same big program, or the same folder of skills."""

    def __init__(self) -> None:
        self.of_file: Callable[[Path], str] = cache(file_digest)
        self.of_folder: Callable[[Path], FileDigests] = cache(folder_digests)


def grader_files(
    entries: Iterable[GraderEntry], level: Level, process_dir: Path, digests: Digests
) -> FileDigests:
    """The files of graders, as far as they are there. `process_dir` is the directory that the run is started in."""
    start = process_dir.absolute()
    return tuple(found for it in entries for found in _files(it, level, start, digests))


def folder_digests(folder: Path) -> FileDigests:
    """The files below a folder, as far as they are of a usual size and number."""
    return tuple((it.target, digest(it.content)) for it in islice(small_files(folder), _MOST))


def _files(
    entry: GraderEntry, level: Level, process_dir: Path, digests: Digests
) -> Iterator[tuple[str, str]]:
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        return
    try:
        config = plain(kind.config_from_entry(read_entry(entry, entry.dialect, level).data, level))
    except ConfigError:
        return
    if isinstance(config, Mapping):
        for _, name in kind.run_files(config):
            path = process_dir / name
            yield name, digests.of_file(path)
            yield from digests.of_folder(path) if is_directory(path) else ()
        for path in sorted(kind.more_files(config, process_dir)):
            if found := digests.of_file(path):
                yield _name(path, process_dir), found
        yield from _program(kind, config, process_dir, digests)


def _name(path: Path, process_dir: Path) -> str:
    """The same for the same file of a folder that has been moved."""
    return (path.relative_to(process_dir) if path.is_relative_to(process_dir) else path).as_posix()


def _program(
    kind: type[Grader], config: Mapping[str, Any], process_dir: Path, digests: Digests
) -> FileDigests:
    if kind.program_options is None:
        return ()
    command, arguments = (config.get(it) for it in kind.program_options)
    if not isinstance(command, str):
        return ()
    listed = arguments if isinstance(arguments, list) else ()
    words = tuple(str(it) for it in listed)
    return command_files(command, words, process_dir, digest_of=digests.of_file)
