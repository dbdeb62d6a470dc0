"""Where a checked document stands, and how much people want to hear about it."""

from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.checking.files import Files
from waza_engine.checking.levels import Levels
from waza_engine.scope import Scope


@dataclass(frozen=True, slots=True)
class World:
    """Where a document stands: its path, the scope of its graders' own checks, and the files around it.

    `levels` is how much people want to hear of each finding; of an `excluded` document, nothing. While the grader
    types, which take a moment to import, are not there, the world is not `complete`: the stages after the schema
    are left out. `target` is the version of the runner that the project uses, empty for the newest. `extra_types` are
    grader types that plug-ins of the runner add.
    """

    path: Path | None = None
    scope: Scope = field(default_factory=Scope)
    files: Files = field(default_factory=Files)
    levels: Levels = field(default_factory=dict)
    excluded: bool = False
    complete: bool = True
    target: str = ""
    extra_types: frozenset[str] = frozenset()
