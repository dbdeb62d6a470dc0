"""Why waza would not load a file whose shape is fine."""

from dataclasses import dataclass

from waza_engine.findings import Pointer


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong, and where in the file."""

    pointer: Pointer
    message: str
