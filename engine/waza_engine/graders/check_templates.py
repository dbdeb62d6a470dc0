"""Templates of graders that the trace viewer fills from what a reader selects. Each dialect has some (`Dialect.check_templates`).

A template is one item of a list of graders. Its placeholders stand where a YAML scalar stands: `$NAME`, `$TEXT` (what is
selected), `$PATTERN` (a pattern that matches it), `$TOOL_PATTERN` (one that matches the name of the tool only) and `$PATH`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from waza_engine.graders.registry import current_grader
from waza_engine.recognition.recognise import Dialect, dialects_by_preference, load_object


@dataclass(frozen=True, slots=True)
class CheckTemplate:
    """One template: for a text of the output, a tool call, a file, or a text in a file (`line`)."""

    kind: Literal["output", "tool", "file", "line"]
    about: str
    yaml: str


def check_templates(types: Collection[str]) -> tuple[CheckTemplate, ...]:
    """Return the templates of the dialect that has most of these grader types; if two have as many, the default one's."""

    def known(candidate: Dialect) -> int:
        return sum(current_grader(candidate.name, it) is not None for it in types)

    # The first of several largest ones.
    chosen = max(dialects_by_preference(), key=known)
    found: tuple[CheckTemplate, ...] = load_object(chosen.check_templates) if chosen.check_templates else ()
    return found
