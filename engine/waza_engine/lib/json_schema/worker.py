"""Validate a deeply nested value in a process of its own, which has a larger stack.

The recursion limit and the stack size of new threads belong to a whole process. The threads of the calling process may
be reading hostile input at the same time and rely on both.
"""

import sys
import threading
from pathlib import Path

from waza_engine.lib.json_schema.compiled import CompiledSchema
from waza_engine.lib.process.framing import frame, read_frame

_RECURSION_LIMIT = 100_000
_STACK_BYTES = 1 << 29


def main() -> None:
    """Answer one request of `compiled` on standard input."""
    sys.setrecursionlimit(_RECURSION_LIMIT)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_respond)
    thread.start()
    thread.join()


def _respond() -> None:
    request = read_frame(sys.stdin.buffer.read)
    base_dir = None if request["base_dir"] is None else Path(request["base_dir"])
    compiled = CompiledSchema.of(request["schema"], base_dir, within=False)
    sys.stdout.buffer.write(frame(compiled.first_error(request["value"])))


if __name__ == "__main__":
    main()
