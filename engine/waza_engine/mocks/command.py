"""Run a mocked program: `python -m waza_engine.mocks.command MOCK.json NAME ARGS...` plays the first matching response.

Every call adds a line to the mock's log file, so that graders can count the calls.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from waza_engine.lib.go.regexp import regex_matches
from waza_engine.mocks.sequence import EXHAUSTED, next_step, wait_for

_NO_RESPONSE = 127


def main() -> None:
    """Answer one call, and exit with the code of the response."""
    mock = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    name, arguments = sys.argv[2], sys.argv[3:]
    index = matching_response(mock["responses"], arguments, os.environ, _directory(mock["workspace"]))
    response = mock["responses"][index] if index >= 0 else _failure(name, _no_match(arguments))
    if response.get("sequence"):
        step = next_step(response["sequence"], Path(f"{mock['used']}.{index}"))
        response = _failure(name, EXHAUSTED) if step is None else step
        wait_for(response)
    sys.stdout.buffer.write(str(response.get("stdout") or "").encode("utf-8", "replace"))
    sys.stderr.buffer.write(str(response.get("stderr") or "").encode("utf-8", "replace"))
    exit_code = int(response.get("exit_code") or 0)
    call = {"command": name, "args": arguments, "exit_code": exit_code, "response_index": index}
    with Path(mock["log"]).open("a", encoding="utf-8") as log:
        log.write(json.dumps(call) + "\n")
    sys.exit(exit_code)


def matching_response(
    responses: Sequence[Mapping[str, Any]],
    arguments: list[str],
    environment: Mapping[str, str],
    directory: str,
) -> int:
    """Return the index of the first matching response, or -1. `directory` is relative to the workspace."""
    for index, response in enumerate(responses):
        variables = response.get("environment") or {}
        if (
            _matches(response, arguments)
            and all(environment.get(key) == value for key, value in variables.items())
            and (not response.get("workdir") or os.path.normpath(response["workdir"]) == directory)
        ):
            return index
    return -1


def _matches(response: Mapping[str, Any], arguments: list[str]) -> bool:
    if response.get("args") is not None:
        return list(response["args"]) == arguments
    patterns = response.get("args_regex") or ()
    return len(patterns) == len(arguments) and all(
        regex_matches(rf"\A(?:{pattern})\z", argument) is True
        for pattern, argument in zip(patterns, arguments, strict=True)
    )


def _directory(workspace: str) -> str:
    return os.path.relpath(Path.cwd().resolve(), Path(workspace).resolve())


def _no_match(arguments: list[str]) -> str:
    return f"no mocked response matches {json.dumps(arguments)}"


def _failure(name: str, reason: str) -> dict[str, Any]:
    return {"stderr": f"{name}: {reason}\n", "exit_code": _NO_RESPONSE}


if __name__ == "__main__":
    main()
