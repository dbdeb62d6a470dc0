"""Results of earlier audits in the user's cache folder, by a fingerprint of everything that an audit reads.

A result is JSON that is checked when it is read; nothing of it is executed. It counts only if nobody else can have written
the file. A task whose graders run programs or ask a model is never cached. `server/startup/code_cache.py` deletes files that
no audit has used for 60 days.
"""

import hashlib
import json
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import waza_engine
from waza_engine.audit.counter_examples import counter_stamps
from waza_engine.audit.mutations.base import mutations
from waza_engine.audit.null_agents import NULL_AGENTS
from waza_engine.audit.run import AuditInputs, AuditResult
from waza_engine.lib.files.safe_read import inflated_lines, open_regular
from waza_engine.lib.files.safe_write import write_bytes_atomic
from waza_engine.lib.files.spill import Spill
from waza_engine.lib.system.users import is_private
from waza_engine.model.trajectory import Trajectory
from waza_engine.plugins import has_plugins
from waza_engine.runs.planning.fingerprint import task_prints
from waza_engine.runs.planning.plan import Plan
from waza_engine.version import __version__
from waza_lsp.server.startup.code_cache import cache_folder

_FORMAT = 1
_LARGEST = 512_000_000
"""Bytes of a file, unpacked. Results beyond that are worked out again each time."""
_LONGEST = 16_000_000
"""Bytes of the result of one task."""


class AuditCache:
    """The results of one eval. A plan of some of its tasks keeps those of the others."""

    def __init__(self, plan: Plan, process_dir: Path, path: Path) -> None:
        self._plan, self._process_dir, self._path = plan, process_dir, path
        self._results = Spill[str]()
        """The key and the result in one text, of each result that was read or added."""
        self._places = dict[str, int]()
        """The place of each task's newest result."""
        self._is_changed = False
        self._digests: dict[int, tuple[Trajectory, str]] = {}
        """Of the trials that are swapped into many tasks, with the trials, so that no other one gets the same id."""
        self._last: tuple[AuditInputs, str] | None = None
        try:
            for task, text in _read(path):
                self._keep(task, text)
        except (OSError, ValueError, TypeError, RecursionError, zlib.error):
            # Nothing of a damaged file counts.
            self._places.clear()

    def find(self, inputs: AuditInputs) -> AuditResult | None:
        """Return the result of an audit with the same inputs."""
        key, place = self._key(inputs), self._places.get(inputs.task.id)
        if not key or place is None:
            return None
        found = self._results[place]
        if not found.startswith(key):
            return None
        try:
            return _reader().validate_json(found[len(key) :])
        except (ValidationError, ValueError):
            return None

    def add(self, inputs: AuditInputs, result: AuditResult) -> None:
        """Remember a result, if the inputs say all that it depends on."""
        if key := self._key(inputs):
            # Without space in the temporary folder, it is worked out again the next time.
            with suppress(OSError):
                self._keep(inputs.task.id, key + _reader().dump_json(result).decode())
                self._is_changed = True

    def write(self) -> None:
        """Write the file, if there is something new. A failure only costs time later."""
        with suppress(OSError):
            if not self._is_changed:
                # Files that are in use must not look old.
                os.utime(self._path)
                return
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(0o600)
            write_bytes_atomic(self._path, self._packed())

    def _keep(self, task: str, text: str) -> None:
        self._results.append(text)
        self._places[task] = len(self._results) - 1

    def _packed(self) -> Iterator[bytes]:
        packer, size = zlib.compressobj(1), 0
        present = {it.id for it in self._plan.suite.tasks}
        for task, place in self._places.items():
            line = json.dumps((task, self._results[place])).encode() + b"\n" if task in present else b""
            if len(line) > _LONGEST:
                continue
            size += len(line)
            if size > _LARGEST:
                break
            yield packer.compress(line)
        yield packer.flush()

    @cached_property
    def _prints(self) -> dict[str, str]:
        """The fingerprint of each task by its id; none for ids that occur twice."""
        counts = Counter(it.id for it in self._plan.tasks)
        prints = zip(self._plan.tasks, task_prints(self._plan, self._process_dir), strict=True)
        return {it.id: found.whole for it, found in prints if counts[it.id] == 1}

    def _key(self, inputs: AuditInputs) -> str:
        """Return what the result depends on as 64 digits; "" if something of it is unknown."""
        # A result is added with the inputs that it was looked for with.
        if self._last is None or self._last[0] is not inputs:
            self._last = inputs, self._new_key(inputs)
        return self._last[1]

    def _new_key(self, inputs: AuditInputs) -> str:
        whole = self._prints.get(inputs.task.id)
        if whole is None or not inputs.is_free:
            return ""
        parts = (
            _program(),
            str(self._process_dir),
            whole,
            [(it.trial, it.executor, _digest(it.trajectory)) for it in inputs.recordings],
            [self._known_digest(it) for it in inputs.others],
            counter_stamps(self._plan.suite.path, inputs.task.id),
            inputs.skill,
        )
        return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()

    def _known_digest(self, trajectory: Trajectory) -> str:
        if id(trajectory) not in self._digests:
            self._digests[id(trajectory)] = trajectory, _digest(trajectory)
        return self._digests[id(trajectory)][1]


def audit_cache(plan: Plan, process_dir: Path) -> AuditCache | None:
    """Return the cache of an eval; None if plug-ins, of which nothing is known, take part or there is no folder."""
    folder = cache_folder()
    if has_plugins() or folder is None:
        return None
    name = hashlib.sha256(os.fsencode(plan.suite.path.absolute())).hexdigest()[:16]
    return AuditCache(plan, process_dir, folder / "waza-lsp" / f"audit-{name}.json.z")


def _digest(trajectory: Trajectory) -> str:
    return hashlib.sha256(repr(trajectory).encode("utf-8", "replace")).hexdigest()


@cache
def _reader() -> TypeAdapter[AuditResult]:
    return TypeAdapter(AuditResult)


@cache
def _program() -> str:
    """Return a text that changes with this program: its version and its files, which an author of it edits."""
    folder = Path(waza_engine.__file__).parent
    stamps = sorted(_stamps(str(folder)))
    names = sorted(mutations()), sorted(NULL_AGENTS)
    return hashlib.sha256(repr((_FORMAT, __version__, sys.version, names, stamps)).encode()).hexdigest()


def _stamps(folder: str) -> Iterator[tuple[str, int, int]]:
    for it in os.scandir(folder):
        if it.is_dir(follow_symlinks=False):
            yield from _stamps(it.path)
        elif it.name.endswith((".py", ".json", ".js", ".go")):
            about = it.stat()
            yield it.path, about.st_mtime_ns, about.st_size


def _read(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what the file holds: the task, and the key and the result in one text. Nothing if others can have written it.

    Raises:
        OSError, ValueError, TypeError, RecursionError, zlib.error: it is damaged, or too large.

    """
    if path.is_symlink():
        return
    with open_regular(path, anywhere=True) as file:
        if not is_private(os.fstat(file.fileno())):
            return
        for line in inflated_lines(file, _LARGEST, _LONGEST):
            task, text = json.loads(line)
            if isinstance(task, str) and isinstance(text, str):
                yield task, text
