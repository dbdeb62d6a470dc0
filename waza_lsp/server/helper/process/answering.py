"""Answer the questions of the server: read them as frames of JSON, and answer each with one frame or several.

It never runs an agent and never asks a judge. It starts programs only if the question allows that, because the user has run
the eval. It may be killed at any moment.
"""

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, BinaryIO

from waza_engine.lib.process import run as processes
from waza_engine.lib.process.framing import frame, read_frame
from waza_engine.lib.system.programs import lower_priority
from waza_lsp.server.helper.process.audits import audit, audit_page, keep, tell_apart
from waza_lsp.server.helper.process.documents import take_changes
from waza_lsp.server.helper.process.judges import about_judges
from waza_lsp.server.helper.process.suites import BrokenError, NothingError, WaitsError
from waza_lsp.server.helper.process.verdicts import draft, explain, grade
from waza_lsp.server.helper.questions import (
    Answer,
    Audit,
    AuditPage,
    Draft,
    Explain,
    Grade,
    Judges,
    Keep,
    Question,
    TellApart,
    question_of,
)

_ANSWERS_PER_COLLECTION = 50
_MOST_BEGUN = 8
"""So many answers can be under way. One more gives up the oldest, which nobody may wait for any more."""
_ANSWERS: Mapping[type[Question], Callable[[Any], Answer | Iterator[Answer]]] = {
    Grade: grade,
    Explain: explain,
    Draft: draft,
    Audit: audit,
    AuditPage: audit_page,
    TellApart: tell_apart,
    Keep: keep,
    Judges: about_judges,
}


def answer_all(after_first: Callable[[], None]) -> None:
    """Answer until there are no more questions. Call `after_first` once the first one is answered."""
    lower_priority()
    pipe, begun = _own_stdout(), dict[int, Iterator[Answer]]()
    for number in count():
        try:
            message = read_frame(sys.stdin.buffer.read)
        except EOFError:
            return
        for dropped in message["dropped"]:
            begun.pop(dropped, None)
        answer = _answer(message, begun)
        pipe.write(frame({"id": message["id"], "more": message["id"] in begun, "answer": answer}))
        pipe.flush()
        processes.end_all()
        if number == 0:
            after_first()
        if number % _ANSWERS_PER_COLLECTION == 0:
            _set_aside()


def _answer(message: Mapping[str, Any], begun: dict[int, Iterator[Answer]]) -> Answer:
    """Return the first or the next part of an answer. Those with more parts are in `begun`."""
    number = message["id"]
    try:
        if "question" in message:
            take_changes(message["documents"], message["looked"])
            question = question_of(message["question"])
            answer = _ANSWERS[type(question)](question)
            if isinstance(answer, dict):
                return answer
            begun[number] = answer
            while len(begun) > _MOST_BEGUN:
                del begun[next(iter(begun))]
        parts = begun.pop(number, None)
        part = next(parts, None) if parts is not None else None
        if parts is None or part is None:
            return {"none": "it was given up"}
        if not part.pop("is_last", False):
            begun[number] = parts
    except WaitsError as reason:
        return {"none": str(reason), "waits": True}
    except BrokenError as reason:
        return {"none": str(reason), "broken": True}
    except NothingError as reason:
        return {"none": str(reason)}
    except Exception as error:  # noqa: BLE001  # the one place per question that catches our own mistakes
        return {"none": f"Unexpected error: {type(error).__name__}: {error}"}
    return part


def _set_aside() -> None:
    """Collect garbage, and exclude what is left from later collections.

    The first question loads the suite. Collections would visit it during every answer: 120 ms with 1,000 tasks.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _own_stdout() -> BinaryIO:
    """Return the pipe to the server, and redirect whatever else prints."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return pipe
