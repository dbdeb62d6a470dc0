"""`textDocument/codeLens`: actions and last results above each runnable, on one line."""

import json
from collections.abc import Mapping, Set
from functools import lru_cache

from lsprotocol import types

from waza_lsp.runnables.commands import NO_STATUS, ActionKind, RunStatus, runnable_actions, shown_age
from waza_lsp.runnables.hidden import shown_runnables
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span, range_json

_ALL = frozenset(ActionKind)


def code_lens_json(
    snapshot: Snapshot,
    statuses: Mapping[tuple[str, str], RunStatus] | None = None,
    wanted: Set[ActionKind] = _ALL,
    now: float = 0.0,
) -> list[str]:
    """Return the lenses of a document as JSON. `statuses` are by kind and id of the runnable; `now` is in seconds since 1970."""
    known, shown = statuses or {}, frozenset(wanted)
    found: list[str] = []
    for it in shown_runnables(snapshot):
        status = known.get((it.kind, it.id), NO_STATUS)
        age = shown_age(status, now)
        last = it.memory.get(code_lens_json)
        # The lenses are requested again after each edit, and nearly all are the same.
        if last is None or last[0] is not status or last[1:3] != (age, shown):
            place = snapshot.text.range_json(Span(it.range.start, it.range.start))
            commands = _commands(it.kind, it.uri, it.id, status, age, shown)
            lenses = [f'{{"range":{place},"command":{command}}}' for command in commands]
            last = it.memory[code_lens_json] = status, age, shown, lenses
        found += last[3]
    return found


@lru_cache(maxsize=4096)  # The end of a document moves with each new line, and nearly all are the same.
def _commands(
    kind: str, uri: str, id_: str, status: RunStatus, age: str, wanted: frozenset[ActionKind]
) -> tuple[str, ...]:
    """Return the commands of a runnable as JSON."""
    offers = runnable_actions(kind, uri, id_, status, age)
    return tuple(_written(it.command) for it in offers if it.sort in wanted)


def lens_json(lens: types.CodeLens) -> str:
    """Return a lens with a command as JSON."""
    command = "" if lens.command is None else f',"command":{_written(lens.command)}'
    return f'{{"range":{range_json(lens.range)}{command}}}'


def _written(command: types.Command) -> str:
    tooltip = {"tooltip": command.tooltip} if command.tooltip else {}
    members = {"title": command.title, "command": command.command, **tooltip, "arguments": command.arguments}
    return json.dumps(members, separators=(",", ":"))
