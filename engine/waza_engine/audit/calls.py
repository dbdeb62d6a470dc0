"""Change the tool calls of a trajectory: in its session digest, its tool events and its transcript alike.

All three hold the same calls. A call is known by its id. A call without an id is known by its position.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from waza_engine.model.trajectory import DIGEST_ARGUMENTS, Session, ToolCall, ToolEvent, Trajectory

_START, _COMPLETE, _SKILL = "tool.execution_start", "tool.execution_complete", "skill.invoked"


class Call(NamedTuple):
    """One tool call of a trajectory. `position` (from 0) is its place among all calls."""

    position: int
    id: str
    name: str
    arguments: Any

    @property
    def words(self) -> str:
        """The call in a few words: `edit (call 3)`."""
        return f"{self.name or 'a tool'} (call {self.position + 1})"


@dataclass(frozen=True, slots=True)
class Edit:
    """One call of the changed trajectory: the call at `origin` of the original, with changes.

    `arguments` None keeps its own. With `error` its result is that error. Each `copy` after the first is a new call.
    """

    origin: int
    arguments: Mapping[str, Any] | None = None
    error: str = ""
    copy: int = 0


def calls_of(trajectory: Trajectory) -> list[Call]:
    """Return the tool calls, from the most complete of the three records."""
    session = trajectory.session
    if trajectory.tool_events:
        found = [(it.tool_call_id, it.tool_name, it.args) for it in trajectory.tool_events]
    elif session is not None and session.tool_calls:
        found = [(it.id, it.name, it.arguments) for it in session.tool_calls]
    else:
        starts = (it for it in trajectory.transcript if it.get("type") == _START)
        found = [(_text(it, "tool_call_id"), _text(it, "tool_name"), it.get("arguments")) for it in starts]
    return [Call(position, *it) for position, it in enumerate(found)]


def with_calls(trajectory: Trajectory, edits: Sequence[Edit]) -> Trajectory:
    """Return the trajectory with these calls instead of its own. A dropped call of a skill drops the skill."""
    calls = calls_of(trajectory)
    skills = _skills_by_call(trajectory, calls)
    kept = {it.origin for it in edits}
    dropped = {index for position, index in skills.items() if position not in kept}
    return trajectory.model_copy(
        update={
            "session": _edited_session(trajectory.session, calls, edits),
            "tool_events": _edited_events(trajectory.tool_events, edits),
            "transcript": _edited_transcript(trajectory.transcript, calls, edits),
            "skills": [it for index, it in enumerate(trajectory.skills) if index not in dropped],
        }
    )


def _edited_session(session: Session | None, calls: Sequence[Call], edits: Sequence[Edit]) -> Session | None:
    if session is None:
        return None
    digests = _by_position([it.id for it in session.tool_calls], calls)
    made = [
        _edited_digest(session.tool_calls[digests[it.origin]], it) for it in edits if it.origin in digests
    ]
    names = [calls[it.origin].name for it in edits]
    return session.model_copy(
        update={
            "tool_calls": made,
            "tools_used": names if session.tools_used else [],
            "tool_call_count": len(edits) if session.tool_call_count else 0,
        }
    )


def _edited_digest(call: ToolCall, edit: Edit) -> ToolCall:
    changes: dict[str, Any] = {"id": _copy_id(call.id, edit)}
    if edit.arguments is not None:
        read = {key: str(edit.arguments.get(key) or "") for key in DIGEST_ARGUMENTS if key in call.arguments}
        changes["arguments"] = {**call.arguments, **read}
    if edit.error:
        changes |= {"success": False, "result": {"content": edit.error}}
    return call.model_copy(update=changes)


def _edited_events(events: Sequence[ToolEvent], edits: Sequence[Edit]) -> list[ToolEvent]:
    if not events:
        return []
    made: list[ToolEvent] = []
    for number, edit in enumerate(edits, 1):
        event = events[edit.origin]
        changes: dict[str, Any] = {
            "sequence": number,
            "turn": events[min(number, len(events)) - 1].turn,
            "tool_call_id": _copy_id(event.tool_call_id, edit),
        }
        if edit.arguments is not None:
            changes["args"] = dict(edit.arguments)
        if edit.error:
            changes |= {"success": False, "error": edit.error, "result": {"content": edit.error}}
        made.append(event.model_copy(update=changes))
    return made


def _edited_transcript(
    transcript: Sequence[dict[str, Any]], calls: Sequence[Call], edits: Sequence[Edit]
) -> list[dict[str, Any]]:
    """Put the edits into the places of the calls, in order. Copies follow at the place of the last call."""
    blocks = _blocks(transcript, calls)
    if not blocks:
        return list(transcript)
    owner = {index: position for position, indices in blocks.items() for index in indices}
    # One place per call; the last place takes what is left, and unused places become empty.
    places = sorted(blocks, key=lambda it: blocks[it][0])
    shown = [it for it in edits if it.origin in blocks]
    share = {place: shown[n : n + 1] for n, place in enumerate(places)}
    if places:
        share[places[-1]] = shown[len(places) - 1 :]
    made: list[dict[str, Any]] = []
    for index, event in enumerate(transcript):
        position = owner.get(index)
        if position is None:
            made.append(event)
            continue
        # Calls in parallel interleave, so each event goes into the slot of its own kind.
        slots = blocks[position]
        slot, is_last = slots.index(index), index == slots[-1]
        for number, edit in enumerate(share[position]):
            block = list(_edited_block([transcript[it] for it in blocks[edit.origin]], edit))
            if number == 0:
                made.extend(block[slot:] if is_last else block[slot : slot + 1])
            elif is_last:
                made.extend(block)
    return made


def _blocks(transcript: Sequence[dict[str, Any]], calls: Sequence[Call]) -> dict[int, list[int]]:
    """Return the indices of each call's events: its start, its result, and the mark of a skill between them."""
    starts = [index for index, it in enumerate(transcript) if it.get("type") == _START]
    ids = [_text(transcript[it], "tool_call_id") for it in starts]
    by_position = {position: starts[place] for position, place in _by_position(ids, calls).items()}
    of_start = {index: position for position, index in by_position.items()}
    blocks = {position: [index] for position, index in by_position.items()}
    open_: list[int] = []
    for index, event in enumerate(transcript):
        kind, id_ = event.get("type"), _text(event, "tool_call_id")
        if kind == _START and index in of_start:
            open_.append(of_start[index])
        elif kind == _SKILL and open_:
            blocks[open_[-1]].append(index)
        elif kind == _COMPLETE and open_:
            # Without an id, results come in the order of the calls.
            position = next((it for it in open_ if calls[it].id == id_), None) if id_ else open_[0]
            if position is not None:
                blocks[position].append(index)
                open_.remove(position)
    return blocks


def _edited_block(events: Sequence[dict[str, Any]], edit: Edit) -> Iterator[dict[str, Any]]:
    for event in events:
        made = dict(event)
        if "tool_call_id" in made:
            made["tool_call_id"] = _copy_id(_text(event, "tool_call_id"), edit)
        if made.get("type") == _START and edit.arguments is not None:
            made["arguments"] = dict(edit.arguments)
        if made.get("type") == _COMPLETE and edit.error:
            made |= {"success": False, "tool_result": {"content": edit.error}}
        yield made


def _by_position(ids: Sequence[str], calls: Sequence[Call]) -> dict[int, int]:
    """Return the index in `ids` of each call, by its id or its position."""
    if all(ids) and len(set(ids)) == len(ids):
        places = {it: place for place, it in enumerate(ids)}
        return {it.position: places[it.id] for it in calls if it.id in places}
    return {it.position: it.position for it in calls if it.position < len(ids)}


def _skills_by_call(trajectory: Trajectory, calls: Sequence[Call]) -> dict[int, int]:
    """Return the index of the skill that each call loads."""
    left = list(range(len(trajectory.skills)))
    found: dict[int, int] = {}
    for call in calls:
        name = call.arguments.get("skill") if isinstance(call.arguments, Mapping) else None
        index = next((it for it in left if trajectory.skills[it].name == name), None) if name else None
        if index is not None:
            found[call.position] = index
            left.remove(index)
    return found


def _copy_id(id_: str, edit: Edit) -> str:
    return f"{id_}-{edit.copy + 1}" if id_ and edit.copy else id_


def _text(event: Mapping[str, Any], key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""
