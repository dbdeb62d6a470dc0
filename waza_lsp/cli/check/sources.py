"""Find, read and recognise the eval files that `waza-lsp check` checks. No file content raises an exception."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.analysis.pipeline import CheckContext, check_context
from waza_engine.lib.files.safe_read import open_regular
from waza_engine.lib.files.vfs import Files
from waza_engine.project.discovery import eval_files
from waza_engine.project.settings import Projects, ProjectSettings
from waza_lsp.schema.document_kind import looks_like_eval, may_be_eval, recognise_form
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.split import MOST_CHARACTERS, TOO_LARGE_MESSAGE

STDIN = "-"
_STDIN_NAME = "<stdin>"
_MAX_BYTES = 4 * MOST_CHARACTERS
_MOST_AHEAD = 256
"""The number of files that are kept parsed until it is their turn."""
_LOOKED_AT = 200_000
"""The part of an unreadable file that is searched for keys of an eval."""
"""Size in bytes above which a text surely has too many characters: a character takes at most four bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """An eval file and the context of its checks. `unreadable` says why it has no text."""

    name: str
    snapshot: Snapshot
    world: CheckContext
    unreadable: str = ""


class FoundFile(NamedTuple):
    """A file that may be an eval. `is_named` is whether the user named it, and not only a folder above it."""

    path: Path
    absolute: Path
    is_named: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files as this dialect, or as any if it is empty, and recognises the evals among them."""

    dialect: str
    projects: Projects
    files: Files
    expected: set[Path] = field(default_factory=set)
    """Files whose turn will come."""
    ahead: dict[Path, Snapshot] = field(default_factory=dict)
    """Those of them that the check of another file has read already, as the check of an eval reads its tasks."""

    def read(self, found: Sequence[FoundFile]) -> Iterator[Source]:
        """Yield the eval files among these."""
        self.expected.update(it.absolute for it in found)
        self.files.parse = self._parse_ahead
        for it in found:
            yield from self._read(it)

    def _parse_ahead(self, path: Path, text: str) -> Any:
        """Return the data of a text whose turn will come; None if only the loader can read it."""
        if path not in self.expected or len(self.ahead) >= _MOST_AHEAD or len(text) > MOST_CHARACTERS:
            return None
        # Imported late: most checks are of one eval.
        from waza_lsp.syntax.tree.plain import is_plain

        snapshot = self.ahead[path] = Snapshot.of(path.as_uri(), text)
        tree = snapshot.tree
        is_unique = len({it.key.source for it in tree.entries}) == len(tree.entries)
        return tree.data() if is_unique and is_plain(tree) else None

    def _read(self, found: FoundFile) -> Iterator[Source]:
        path, absolute, is_named = found
        world = self._world(absolute)
        self.expected.discard(absolute)
        if (known := self.ahead.pop(absolute, None)) is not None:
            source = self._source(str(path), known, world)
            if source.snapshot.recognition is not None:
                yield source
            return
        try:
            with open_regular(path) as file:
                data = file.read(_MAX_BYTES + 1) or b""  # None for /proc/kmsg
        except OSError as error:
            if is_named or looks_like_eval("", path, self.dialect):
                yield self._unreadable(str(path), world, f"Cannot be read: {error.strerror or error}")
            return
        yield from self._parse(str(path), data, world, is_named=is_named)

    def read_given(self, name: str, data: bytes, path: Path | None) -> Iterator[Source]:
        """Yield a text that is not on disk, if it is an eval file. `path` is where it belongs."""
        yield from self._parse(name, data, self._world(path), is_named=path is not None)

    def _parse(self, name: str, data: bytes, world: CheckContext, *, is_named: bool) -> Iterator[Source]:
        text, unreadable = _decode(data) if len(data) <= _MAX_BYTES else ("", TOO_LARGE_MESSAGE)
        if len(text) > MOST_CHARACTERS:
            text, unreadable = "", TOO_LARGE_MESSAGE
        if not unreadable:
            # Most other files are recognised without parsing them.
            if may_be_eval(text, world.path, self.dialect):
                source = self._source(name, _snapshot(text, world), world)
                if source.snapshot.recognition is not None:
                    yield source
        elif is_named or looks_like_eval(
            data[:_LOOKED_AT].decode("utf-8", "replace"), world.path, self.dialect
        ):
            yield self._unreadable(name, world, unreadable)

    def _source(self, name: str, snapshot: Snapshot, world: CheckContext) -> Source:
        if self.dialect:
            kind = recognise_form(snapshot.tree.keys(), world.path, self.dialect)
            snapshot = replace(snapshot, recognition=kind)
        return Source(name, snapshot, self._with_target(world, snapshot))

    def _with_target(self, world: CheckContext, snapshot: Snapshot) -> CheckContext:
        """Return the context with the version that the project uses of the document's runner."""
        if snapshot.form is None or world.path is None:
            return world
        folder, dialect = world.path.parent, snapshot.form.dialect
        pin = self.projects.pin(folder, dialect)
        target = self.projects.of(folder).target_of(dialect) or (pin.version if pin is not None else "")
        return replace(world, target=target)

    def _unreadable(self, name: str, world: CheckContext, reason: str) -> Source:
        return replace(self._source(name, _snapshot("", world), world), unreadable=reason)

    def _world(self, path: Path | None) -> CheckContext:
        folder = path.parent if path is not None else None
        settings = self.projects.of(folder) if folder is not None else ProjectSettings()
        # Excluded files are not found; one that the user names is checked all the same.
        return replace(check_context(path, settings, Path.cwd(), files=self.files), excluded=False)


@dataclass(frozen=True, slots=True)
class Sources:
    """The files to check: the paths that the user gave, or one text from standard input (`stdin`).

    `missing` holds the paths that do not exist; `paths` holds the others.
    """

    paths: tuple[str, ...]
    dialect: str
    projects: Projects
    stdin: bytes | None = None
    stdin_name: str = ""
    missing: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Source]:
        """Yield every eval file once, in a stable order; skip other files."""
        if self.stdin is not None:
            yield from self._read_stdin(self.stdin)
            return
        yield from self.reader().read(list(self.found()))

    def reader(self) -> Reader:
        """Return what reads the files. It reads each of them once."""
        return Reader(self.dialect, self.projects, Files().snapshot(is_final=True))

    def found(self) -> Iterator[FoundFile]:
        """Yield every file that may be an eval once, in a stable order."""
        seen = set[Path]()
        for start in self.paths:
            is_named = not Path(start).is_dir()
            for path in eval_files(Path(start), self.projects):
                absolute = path.absolute()
                if absolute not in seen:
                    seen.add(absolute)
                    # What is wrong in settings is reported in the order of the files.
                    self.projects.of(absolute.parent)
                    yield FoundFile(path, absolute, is_named)

    def _read_stdin(self, data: bytes) -> Iterator[Source]:
        path = Path(self.stdin_name).absolute() if self.stdin_name else None
        text = data.decode("utf-8-sig", "replace")
        reader = Reader(self.dialect, self.projects, Files(lambda it: text if it == path else None))
        yield from reader.read_given(self.stdin_name or _STDIN_NAME, data, path)


def find_sources(paths: tuple[str, ...], dialect: str, stdin_name: str | None) -> Sources:
    """Return the sources that the command line names. Standard input is read at once."""
    projects = Projects(is_final=True)
    if stdin_name is not None or STDIN in paths:
        return Sources((), dialect, projects, sys.stdin.buffer.read(), stdin_name or "")
    # A broken link exists; that it cannot be read becomes a finding.
    missing = tuple(it for it in paths if not os.path.lexists(it))
    existing = tuple(it for it in paths if it not in missing)
    return Sources(existing if paths else (".",), dialect, projects, missing=missing)


def _snapshot(text: str, world: CheckContext) -> Snapshot:
    return Snapshot.of(world.path.as_uri() if world.path is not None else "untitled:stdin", text)


def _decode(data: bytes) -> tuple[str, str]:
    """Return the text, or else why there is none."""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        return "", f"Not UTF-8 (byte {error.start}); save the file as UTF-8"
