"""Putting a schema to a value that nests too deeply for the stacks of this process: in a process with a large one.

How deep Python may go, and how large the stacks of new threads are, belongs to a whole process. The threads of this
one, which grade hostile texts at the same time, rely on both.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from waza_engine.json_schema.errors import SchemaError
from waza_engine.json_text import read_json
from waza_engine.nested_json import write_nested

_DEPTH = 400_000
_STACK_BYTES = 1 << 29
_LONGEST_SECONDS = 60.0


def error_apart(schema: Any, base_dir: Path | None, value: Any) -> str | None:
    """Why `value` does not fit, in one sentence; None when it does. The schema is one that compiles.

    Raises:
        SchemaError: even that process could not go as deep, or took more than a minute.

    """
    asked = {
        "schema": schema,
        "base_dir": None if base_dir is None else str(base_dir),
        "value": write_nested(value),
    }
    command = [sys.executable, "-P", "-m", __name__]
    try:
        ended = subprocess.run(
            command,
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=_LONGEST_SECONDS,
            check=True,
        )
        answer: str | None = json.loads(ended.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise SchemaError("the value is nested too deeply to be checked") from error
    return answer


def _answer() -> None:
    from waza_engine.json_schema.compiled import CompiledSchema

    asked = json.loads(sys.stdin.buffer.read())
    base_dir = None if asked["base_dir"] is None else Path(asked["base_dir"])
    compiled = CompiledSchema.of(asked["schema"], base_dir, within=False)
    sys.stdout.write(json.dumps(compiled.first_error(read_json(asked["value"]))))


def main() -> None:
    """Answer what `error_apart` asks on the standard input."""
    sys.setrecursionlimit(_DEPTH)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_answer)
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
