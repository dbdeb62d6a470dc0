"""A mocked program: `python -m waza_engine.mocks.command MOCK.json NAME ARGS...` does what the first fitting response says.

Every call is written down, a line each, in the file that the mock names, so that a run can tell how often it was called.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from waza_engine.lib.go.regexp import regex_matches

_NO_RESPONSE = 127


def main() -> None:
    """Answer one call, and end with the exit code of the response."""
    mock = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    name, arguments = sys.argv[2], sys.argv[3:]
    index = fitting(mock["responses"], arguments, os.environ, _directory(mock["workspace"]))
    response = mock["responses"][index] if index >= 0 else _unfitting(name, arguments)
    sys.stdout.buffer.write(str(response.get("stdout") or "").encode("utf-8", "replace"))
    sys.stderr.buffer.write(str(response.get("stderr") or "").encode("utf-8", "replace"))
    exit_code = int(response.get("exit_code") or 0)
    call = {"command": name, "args": arguments, "exit_code": exit_code, "response_index": index}
    with Path(mock["log"]).open("a", encoding="utf-8") as log:
        log.write(json.dumps(call) + "\n")
    sys.exit(exit_code)


def fitting(
    responses: Sequence[Mapping[str, Any]],
    arguments: list[str],
    environment: Mapping[str, str],
    directory: str,
) -> int:
    """Which response fits a call, -1 if none does. `directory` is relative to the workspace."""
    for index, it in enumerate(responses):
        wanted = it.get("environment") or {}
        if (
            _fits(it, arguments)
            and all(environment.get(key) == value for key, value in wanted.items())
            and (not it.get("workdir") or os.path.normpath(it["workdir"]) == directory)
        ):
            return index
    return -1


def _fits(response: Mapping[str, Any], arguments: list[str]) -> bool:
    if response.get("args") is not None:
        return list(response["args"]) == arguments
    patterns = response.get("args_regex") or ()
    return len(patterns) == len(arguments) and all(
        regex_matches(rf"\A(?:{pattern})\z", it) is True
        for pattern, it in zip(patterns, arguments, strict=True)
    )


def _directory(workspace: str) -> str:
    return os.path.relpath(Path.cwd().resolve(), Path(workspace).resolve())


def _unfitting(name: str, arguments: list[str]) -> dict[str, Any]:
    return {"stderr": f"{name}: no mocked response fits {json.dumps(arguments)}\n", "exit_code": _NO_RESPONSE}


if __name__ == "__main__":
    main()
