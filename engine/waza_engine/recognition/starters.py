"""Files to begin with: each dialect has some (`Dialect.starters`), for new evals and for snippets of editors.

A text has tab stops as editors write them: `${1:a default}`, or `${2|one,another|}` for a choice. Both end at the first
brace, so a default has none. `my-skill` stands for the name of what is tested.
"""

import re
from dataclasses import dataclass

from waza_engine.recognition.recognise import dialect, dialects, load_object

_TAB_STOP = re.compile(r"\$\{\d+(?::([^}]*)|\|([^,|]*)[^}]*)\}")
_EXAMPLE = "my-skill"
NAME_PATTERN = r"(?!(?i:true|false|null|yes|no|on|off|y|n)$)[A-Za-z][A-Za-z0-9._-]*"
"""Names that can be folders, and strings in YAML without quotes."""


@dataclass(frozen=True, slots=True)
class Starter:
    """One file. `path` is its place in a new eval, empty if a new eval begins without it."""

    name: str
    path: str
    description: str
    text: str


def starters(name: str) -> tuple[Starter, ...]:
    """Return the files to begin with of the dialect called `name`.

    Raises:
        KeyError: there is no such dialect.

    """
    source = dialect(name).starters
    return load_object(source) if source else ()


def dialects_with_new_evals() -> list[str]:
    """Return the names of the dialects in which an eval can begin, the default dialect first."""
    found = [it for it in dialects() if any(one.path for one in starters(it.name))]
    return [it.name for it in sorted(found, key=lambda it: not it.is_default)]


def new_eval(dialect_name: str, name: str) -> dict[str, str]:
    """Return the files of a new eval by their relative paths, the eval first. It runs without a model.

    Raises:
        KeyError: there is no such dialect.

    """
    return {it.path: _filled(it.text, name) for it in starters(dialect_name) if it.path}


def _filled(text: str, name: str) -> str:
    defaults = _TAB_STOP.sub(lambda found: found[1] or found[2] or "", text)
    return defaults.replace(_EXAMPLE, name)
