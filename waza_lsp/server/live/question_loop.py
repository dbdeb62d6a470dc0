"""The loop of a worker process: reads questions as lines of JSON, and answers each with one line."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from waza_engine.lib.process import run as processes
from waza_lsp.server.live.worker_suite import BrokenError, NothingError, Question


class WaitsError(NothingError):
    """The entry executes something, which the question does not allow."""


def answer_questions(answers: Mapping[str, Callable[[Question], dict[str, Any]]]) -> None:
    """Answer until there are no more questions. The member `ask` of a question names its function in `answers`."""
    pipe = _own_stdout()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = answers[question["ask"]](question)
        except WaitsError as reason:
            answer = {"none": str(reason), "waits": True}
        except BrokenError as reason:
            answer = {"none": str(reason), "broken": True}
        except NothingError as reason:
            answer = {"none": str(reason)}
        except Exception as error:  # noqa: BLE001  # the one place per question that catches our own mistakes
            answer = {"none": f"Unexpected error: {type(error).__name__}: {error}"}
        pipe.write(json.dumps(answer, default=str) + "\n")
        pipe.flush()
        processes.end_all()


def _own_stdout() -> TextIO:
    """Return the pipe to the server, and redirect whatever else prints."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return pipe
