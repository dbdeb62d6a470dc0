"""Verdicts on recorded trials, by people and by judges, in a file of JSON lines.

The store has such a file for what judges were asked again (`judgements.jsonl`), a frozen set has one for everything
(`recordings/judged/verdicts.jsonl`). Lines that are not verdicts are skipped: a crash may have cut one off.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.lib.files.safe_read import MAX_RESULTS_BYTES, regular_bytes
from waza_engine.lib.files.safe_write import open_own
from waza_engine.model.judge import JudgeCall, JudgeTurn

_MODEL = ConfigDict(extra="ignore", frozen=True)


class KeptTurn(BaseModel):
    """One answer of a judge: the digest of the request ("" if unknown), and what it said and called."""

    model_config = _MODEL

    request: str
    text: str = ""
    calls: tuple[tuple[str, dict[str, Any], bool], ...] = ()
    """Tool, arguments, and whether the arguments were unreadable."""
    usage: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, request: str, turn: JudgeTurn) -> Self:
        """Return the turn as it is kept."""
        calls = tuple((it.tool, dict(it.arguments), it.unreadable) for it in turn.calls)
        return cls(request=request, text=turn.text, calls=calls, usage=dict(turn.usage))

    def turn(self) -> JudgeTurn:
        """Return the turn again. It costs nothing, so it has no usage."""
        return JudgeTurn(tuple(JudgeCall(*it) for it in self.calls), self.text)


class Judgement(BaseModel):
    """One verdict on the work of a recorded trial. `by` is the judge's model, or a person if `person` is set.

    `recording` names the trial: `RUN/TASK/TRIAL` for a stored one, a file's name in a frozen set. `at` is in seconds since
    1970, 0 if unknown. A person's verdict has no turns.
    """

    model_config = _MODEL

    recording: str
    grader: str
    passed: bool
    score: float = Field(ge=0.0, le=1.0)
    by: str = ""
    person: bool = False
    comment: str = ""
    at: float = 0.0
    turns: tuple[KeptTurn, ...] = ()

    @property
    def requests(self) -> tuple[str, ...]:
        """The digests of all requests, sorted: judgements with equal ones answer the same question about the same work."""
        return tuple(sorted(it.request for it in self.turns if it.request))

    @property
    def usages(self) -> list[Mapping[str, Any]]:
        """What the judge consumed for each turn."""
        return [it.usage for it in self.turns]


def read_judgements(file: Path) -> list[Judgement]:
    """Return the verdicts in a file, oldest first; none without the file.

    Raises:
        OSError: the file cannot be read, is not a regular file, or is too large.

    """
    if not file.exists():
        return []
    found = []
    for line in regular_bytes(file, limit=MAX_RESULTS_BYTES).decode("utf-8", "replace").splitlines():
        try:
            found.append(Judgement.model_validate_json(line))
        except (ValidationError, RecursionError):
            continue
    return found


def add_judgements(file: Path, judgements: Iterable[Judgement]) -> None:
    """Append verdicts to a file.

    Raises:
        OSError: the file cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with open_own(file, append=True) as lines:
        # If a crash cut off the last line, start a new one, or both verdicts would be lost.
        lines.seek(max(lines.tell() - 1, 0))
        newline = "" if lines.read() in {b"", b"\n"} else "\n"
        text = "".join(json.dumps(it.model_dump(exclude_defaults=True)) + "\n" for it in judgements)
        lines.write((newline + text).encode())


def latest_of_people(judgements: Sequence[Judgement]) -> dict[tuple[str, str], Judgement]:
    """Return the last verdict of a person by recording and grader."""
    return {(it.recording, it.grader): it for it in judgements if it.person}
