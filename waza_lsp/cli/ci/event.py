"""What GitHub says about the workflow: its event, and the files that steps may write.

An event quotes titles and branches of strangers, so only a few values of it are read, each by its type.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import given_bytes

_MOST_BYTES = 20_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Event:
    """The event that started the workflow.

    `number` and `head` are those of a pull request. `finished` is the workflow run that a `workflow_run` event is about; its
    `finished_kind` is the event that started that one, and `head` its commit.
    """

    number: int = 0
    head: str = ""
    base: str = ""
    finished: int = 0
    finished_kind: str = ""


def read_event() -> Event:
    """Return the event of this workflow; an empty one outside of GitHub."""
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return Event()
    try:
        data = json.loads(given_bytes(Path(path), _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return Event()
    pull = _map(data, "pull_request")
    if pull:
        return Event(
            _number(pull.get("number")),
            _commit(_map(pull, "head").get("sha")),
            _text(_map(pull, "base").get("ref")),
        )
    finished = _map(data, "workflow_run")
    return Event(
        head=_commit(finished.get("head_sha")),
        finished=_number(finished.get("id")),
        finished_kind=_text(finished.get("event")),
    )


def append_summary(text: str) -> None:
    """Add Markdown to the page of the workflow's run, where there is one."""
    if path := os.environ.get("GITHUB_STEP_SUMMARY", ""):
        with Path(path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n")


def is_on_github() -> bool:
    """Whether this is a step of a workflow, which reads commands in the output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _map(data: Any, key: str) -> Mapping[str, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**15 else 0


def _commit(value: Any) -> str:
    return value if isinstance(value, str) and _COMMIT.fullmatch(value) else ""


def _text(value: Any) -> str:
    return value[:200] if isinstance(value, str) else ""
