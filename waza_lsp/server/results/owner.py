"""The eval that a file belongs to."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.queries.disk import Stamp, stamp
from waza_engine.lib.queries.tracking import track_reads


class Owner(NamedTuple):
    """The eval that a file belongs to, and the state of all files that this depends on."""

    eval_path: Path | None
    read: Mapping[Path, Stamp]

    def is_outdated(self) -> bool:
        """Whether a file has changed since. Runs in a thread."""
        return any(stamp(path) != it for path, it in self.read.items())


NO_OWNER = Owner(None, {})


def find_owner(path: Path) -> Owner:
    """Find the eval of a file on disk. Runs in a thread."""
    # Imported late: it reads YAML.
    from waza_engine.project.suite_files import eval_of

    with track_reads() as reads:
        found = eval_of(path)
    return Owner(found, {it: stamp(it) for it in reads.paths})
