"""Running a function that recurses deeper than Python's default stack allows, for deeply nested data."""

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_LIMIT = 400_000
_STACK_BYTES = 1 << 29

_Result = TypeVar("_Result")
# Both settings below belong to the whole process, so only one such function runs at a time.
_one_at_a_time = threading.Lock()


def run_deep(function: Callable[[], _Result]) -> _Result:
    """Call `function` in a thread of its own with a large stack; its result or exception comes back.

    Raises:
        RecursionError: the recursion is deeper than even this stack.

    """
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = function()
        except BaseException as error:  # noqa: BLE001  # raised again by the caller's thread, below
            outcome["error"] = error

    with _one_at_a_time:
        limit, stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
        try:
            sys.setrecursionlimit(_LIMIT)
            thread = threading.Thread(target=run, name="deep recursion")
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(stack)
    if "error" in outcome:
        raise outcome["error"]
    result: _Result = outcome["result"]
    return result
