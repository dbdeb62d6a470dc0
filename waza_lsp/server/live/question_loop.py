"""The loop of a worker process: reads questions as lines of JSON, and answers each with one line."""

import gc
import json
import os
import sys
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, TextIO

from waza_engine.lib.process import run as processes
from waza_lsp.server.live.worker_suite import BrokenError, NothingError, Question

_ANSWERS_PER_COLLECTION = 50


class WaitsError(NothingError):
    """The entry executes something, which the question does not allow."""


def answer_questions(answers: Mapping[str, Callable[[Question], dict[str, Any]]]) -> None:
    """Answer until there are no more questions. The member `ask` of a question names its function in `answers`."""
    pipe = _own_stdout()
    for number, line in zip(count(), sys.stdin, strict=False):
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
        if number % _ANSWERS_PER_COLLECTION == 0:
            _set_aside()


def _set_aside() -> None:
    """Collect garbage, and exclude what is left from later collections.

    The first question loads the suite. Collections would visit it during every answer: 120 ms with 1,000 tasks.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _own_stdout() -> TextIO:
    """Return the pipe to the server, and redirect whatever else prints."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return pipe
