"""The child process that grades what was recorded: reads questions as lines of JSON, answers each with one line.

What is asked (`ask`): `grade` one entry while its author types, `explain` which of all recorded trials it fails, `draft`
graders from the recording. The texts are those of the editor. It never runs an agent and never asks a judge; graders
that start programs only where the question says that the user has run the eval.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from waza_engine import processes
from waza_lsp.server.recorded_entry import BrokenError, NothingError, Question
from waza_lsp.server.worker_draft import drafted
from waza_lsp.server.worker_explain import explained
from waza_lsp.server.worker_grade import graded

_ANSWERS: Mapping[str, Callable[[Question], dict[str, Any]]] = {
    "grade": graded,
    "explain": explained,
    "draft": drafted,
}


def main() -> None:
    """Answer until there are no more questions."""
    answers = _own_stdout()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = _ANSWERS[question["ask"]](question)
        except BrokenError as reason:
            answer = {"none": str(reason), "broken": True}
        except NothingError as reason:
            answer = {"none": str(reason)}
        except Exception as error:  # noqa: BLE001  # the one place per question where our own mistakes end
            answer = {"none": f"Unexpected error: {type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()
        processes.end_all()


def _own_stdout() -> TextIO:
    """The pipe to the server, out of reach of whatever prints something."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return pipe


if __name__ == "__main__":
    main()
