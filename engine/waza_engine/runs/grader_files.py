"""The files that verdicts depend on beside the agent's work: what graders read, and the programs that they start.

Each grader type declares which these are (`run_files`, `program_options`). What such a program reads of its own
accord nobody can know.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from waza_engine.file_digests import FileDigests, command_files, digest, file_digest
from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader, generation_of
from waza_engine.runs.small_files import small_files
from waza_engine.scalars import plain
from waza_engine.suite import GraderEntry

_MOST = 1000


def grader_files(entries: Iterable[GraderEntry], level: Level, process_dir: Path) -> FileDigests:
    """The files of graders, as far as they are there. `process_dir` is the directory that the run is started in."""
    return tuple(found for it in entries for found in _files(it, level, process_dir))


def folder_digests(folder: Path) -> FileDigests:
    """The files below a folder, as far as they are of a usual size and number."""
    return tuple((it.target, digest(it.content)) for it in islice(small_files(folder), _MOST))


def _files(entry: GraderEntry, level: Level, process_dir: Path) -> Iterator[tuple[str, str]]:
    generation = generation_of(entry)
    kind = find_grader(entry.type, generation)
    if kind is None:
        return
    try:
        config = plain(kind.config_from_entry(read_entry(entry, generation, level).data, level))
    except ConfigError:
        return
    if isinstance(config, Mapping):
        for _, name in kind.run_files(config):
            path = process_dir / name
            yield name, file_digest(path)
            yield from folder_digests(path) if "\0" not in name and path.is_dir() else ()
        yield from _program(kind, config, process_dir)


def _program(kind: type[Grader], config: Mapping[str, Any], process_dir: Path) -> FileDigests:
    if kind.program_options is None:
        return ()
    command, arguments = (config.get(it) for it in kind.program_options)
    if not isinstance(command, str):
        return ()
    listed = arguments if isinstance(arguments, list) else ()
    return command_files(command, tuple(str(it) for it in listed), process_dir)
