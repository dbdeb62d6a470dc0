"""Read the hand-labelled tasks and the suites that they belong to."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from waza_engine.audit.null_agents import NULL_AGENTS

FOLDER = Path(__file__).parent / "labelled"
_FILE = ">>> "
"""Begins a line with the path of the next file of a bundle, and "crlf" if its lines end so."""


class Label(NamedTuple):
    """What a person says about a task: its intent, and the null agents that may not pass."""

    suite: str
    task: str
    intent: str
    fair: frozenset[str]
    reason: str


def labels() -> Iterator[Label]:
    suite = ""
    for line in (FOLDER / "labels.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            suite = line.strip("[]")
        elif line and not line.startswith("#"):
            task, intent, fair, reason = line.split()
            yield Label(suite, task, intent, _agents(fair), reason)


def _agents(words: str) -> frozenset[str]:
    if words.startswith("*"):
        return frozenset(NULL_AGENTS) - {words[2:]}
    return frozenset({words} - {"-"})


def write_bundle(name: str, folder: Path) -> Path:
    """Write the files of a bundle into a folder, and return the path of its eval."""
    for part in (FOLDER / f"{name}.txt").read_text("utf-8").removeprefix(_FILE).split("\n" + _FILE):
        head, _, text = part.partition("\n")
        path, *endings = head.split()
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        lines = f"{text}\n".replace("\n", "\r\n") if endings else f"{text}\n"
        target.write_bytes(lines.encode())
    return folder / "eval.yaml"
