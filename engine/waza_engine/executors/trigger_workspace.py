"""The folder that an agent works in while it is asked a trigger prompt."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from waza_engine.executors.base import TriggerRequest
from waza_engine.temporary import temporary_folder


@contextmanager
def workspace_of(request: TriggerRequest) -> Iterator[str]:
    """A temporary folder with the request's files in it; one that cannot be written there is left out."""
    with temporary_folder() as root:
        for it in request.files:
            with suppress(OSError):
                path = root / it.target
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(it.content)
        yield str(root)
