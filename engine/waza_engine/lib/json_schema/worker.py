"""Validate a deeply nested value in a process of its own, which has a larger stack.

The recursion limit and the stack size of new threads belong to a whole process. The threads of this process may be
reading hostile input at the same time and rely on both.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from waza_engine.lib.json_schema import SchemaError

_RECURSION_LIMIT = 100_000
_STACK_BYTES = 1 << 29
_TIMEOUT_SECONDS = 60.0


def validate_in_process(schema: Any, base_dir: Path | None, value: Any) -> str | None:
    """Return why `value` does not fit a schema that compiles, in one sentence; None if it fits.

    Raises:
        SchemaError: the value is nested too deeply for that process too, or the process took more than a minute.

    """
    command = [sys.executable, "-P", "-m", __name__]
    try:
        request = {"schema": schema, "base_dir": base_dir and str(base_dir), "value": value}
        ended = subprocess.run(
            command,
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=True,
        )
        response: str | None = json.loads(ended.stdout)
    except (OSError, ValueError, RecursionError, subprocess.SubprocessError) as error:
        raise SchemaError("the value is nested too deeply to be checked") from error
    return response


def _respond() -> None:
    from waza_engine.lib.json_schema.compiled import CompiledSchema

    request = json.loads(sys.stdin.buffer.read())
    base_dir = None if request["base_dir"] is None else Path(request["base_dir"])
    compiled = CompiledSchema.of(request["schema"], base_dir, within=False)
    sys.stdout.write(json.dumps(compiled.first_error(request["value"])))


def main() -> None:
    """Answer one request of `validate_in_process` on standard input."""
    sys.setrecursionlimit(_RECURSION_LIMIT)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_respond)
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
