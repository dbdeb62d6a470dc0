"""A run store that lives as long as a command: what does not fit into memory, and must not be kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.runs.store.store import RunStore


@contextmanager
def scratch_store() -> Iterator[RunStore]:
    """Provide an empty store, which is deleted afterwards.

    Raises:
        OSError: the temporary folder cannot be created.
        StoreError: the store cannot be created.

    """
    with temporary_folder() as folder, RunStore(folder) as store:
        # Nobody needs it after a crash, so it need not wait for the disk.
        store.file.connection.execute("PRAGMA synchronous = OFF")
        yield store
