"""Finds keys and values that are newer than the runner version of the project.

A file of its own: the pipeline and the editor's piecewise checks use it, and most projects have no `target`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, child, narrow, resolve
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding
from waza_engine.project.settings import is_newer
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.rules.newer_than_target import NEWER_THAN_TARGET

_SINCE = "x-since"
_APPLIED_SINCE = "x-applied-since"


def newer_than_target(
    root: Schema, data: Any, target: str, *, part: Schema | None = None
) -> Iterator[Finding]:
    """Yield a finding for each key and each discriminating value below `data` that is newer than `target`.

    `root` is the schema of the file, `part` the schema of `data` if it is not the whole file.
    """
    yield from _newer_below(root, root if part is None else part, data, (), target)


def _newer_below(
    root: Schema, schema: Schema, value: Any, pointer: Pointer, target: str
) -> Iterator[Finding]:
    schema = narrow(root, schema, value)
    members = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for part, it in members:
        below = child(root, schema, part, value)
        if below is None:
            continue
        since = str(below.get(_SINCE, ""))
        if since and is_newer(since, target):
            chooser = _chooser(root, schema, value, part)
            text = f"'{part if chooser is None else value[chooser]}' needs waza {since}, but this project uses {target}"
            place = (*pointer, chooser or part)
            yield NEWER_THAN_TARGET.at(place, text, on="key" if chooser is None else "value")
        applied = str(below.get(_APPLIED_SINCE, ""))
        if applied and is_newer(applied, target) and it not in (None, [], {}):
            text = f"'{part}' has no effect before waza {applied}, and this project uses {target}"
            yield NEVER_APPLIED.at((*pointer, part), text, on="key")
        yield from _newer_below(root, below, it, (*pointer, part), target)


def _chooser(root: Schema, schema: Schema, value: Any, part: Any) -> str | None:
    """Return the discriminator that brought this member: a member of one branch is as new as that branch."""
    key = schema.get(DISCRIMINATOR)
    own = resolve(root, schema.get("properties", {}).get(part, {}))
    return str(key) if key in value and _SINCE not in own else None
