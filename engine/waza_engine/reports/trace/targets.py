"""Find what a failed check points to: a step, a line of the output, or a line of a file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.model.results.evidence import FailedCheck, Place
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace.edits import path_arguments
from waza_engine.reports.trace.patches import FilePatch, read_diff
from waza_engine.reports.trace.steps import Step
from waza_engine.reports.trace.workspace import Workspace

_EXCERPT_LINE = re.compile(r"^ *(\d{1,9})  (.*)$")
_CUT = "\u2026"
Target = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Targets:
    """Finds the targets of one trial. `calls` are the steps with calls, in the order in which graders number them."""

    steps: Sequence[Step]
    workspace: Workspace
    calls: Sequence[Step]
    patches: Sequence[FilePatch]

    @classmethod
    def of(cls, trajectory: Trajectory, steps: Sequence[Step], workspace: Workspace) -> "Targets":
        patches = read_diff(trajectory.patch or "")
        return cls(steps, workspace, _numbered_calls(trajectory, steps), patches)

    def of_check(self, check: FailedCheck, after_turn: int = 0) -> Target | None:
        """Return the target of a check as JSON data; None if it points to nothing in the trial.

        With `after_turn`, it is a check of the state after that turn.
        """
        found = self._of_place(check)
        is_earlier = after_turn > 0 and any(it.turn > after_turn for it in self.steps)
        if found is None or not is_earlier or found["kind"] == "step":
            return found
        return self._at_turn(check, found, after_turn)

    def _at_turn(self, check: FailedCheck, found: Target, turn: int) -> Target | None:
        """Return a step of the turn instead of an output or a file that later turns have changed."""
        if found["kind"] == "output":
            said = [it.n for it in self.steps if it.kind == "agent" and it.turn == turn and it.text.strip()]
            return _step_target(said[-1] if said else 0)
        last = max((it.n for it in self.steps if it.turn <= turn), default=0)
        changes = self.workspace.changes
        if check.place is not None and check.place.text == "diff":
            # Its lines were those of another diff.
            return None if any(it.step > last for it in changes) else found
        own = [it.step for it in changes if it.path == found["path"]]
        if not any(it > last for it in own):
            return found
        return _step_target(max((it for it in own if it <= last), default=0))

    def _of_place(self, check: FailedCheck) -> Target | None:
        place = check.place
        if place is None:
            return None
        match place.text:
            case "output":
                return {"kind": "output", "line": place.line}
            case "calls":
                in_list = 0 < place.line <= len(self.calls)
                return _step_target(self.calls[place.line - 1].n if in_list else 0)
            case "skills":
                loaded = [it.n for it in self.steps if it.kind == "skill"]
                return _step_target(loaded[place.line - 1] if 0 < place.line <= len(loaded) else 0)
            case "transcript":
                return _step_target(self._message(place, check.excerpt))
            case "file":
                return self._file(place)
            case "diff":
                return self._diff_line(place)
            case "stdout" | "stderr":
                return None

    def _file(self, place: Place) -> Target | None:
        path = place.path.removeprefix("./")
        if path in self.workspace.final:
            return {"kind": "file", "path": path, "line": place.line}
        return _step_target(max((it.n for it in self.calls if _mentions(it, path)), default=0))

    def _diff_line(self, place: Place) -> Target | None:
        found = [it for it in self.patches if it.first_line <= place.line]
        if not found or found[-1].path not in self.workspace.final:
            return None
        return {"kind": "file", "path": found[-1].path, "line": found[-1].new_line(place.line)}

    def _message(self, place: Place, excerpt: str) -> int:
        """Return the step of the message that has the line, which counts in one message or in all of them together."""
        messages = [it for it in self.steps if it.kind == "agent" and it.text.strip()]
        shown = _excerpt_lines(excerpt)
        if not place.line or not shown:
            return 0
        joined: list[tuple[Step, str]] = [(it, line) for it in messages for line in it.text.split("\n")]
        if 0 < place.line <= len(joined) and _has_lines([line for _, line in joined], shown):
            return joined[place.line - 1][0].n
        return next((it.n for it in messages if _has_lines(it.text.split("\n"), shown)), 0)


def _step_target(step: int) -> Target | None:
    return {"kind": "step", "step": step} if step else None


def _numbered_calls(trajectory: Trajectory, steps: Sequence[Step]) -> list[Step]:
    """Return the steps of the calls in the order of the session digest, which graders read, if it names all of its calls."""
    calls = [it for it in steps if it.call is not None]
    by_id = {it.call.id: it for it in calls if it.call and it.call.id}
    digest = trajectory.session.tool_calls if trajectory.session else []
    ids = [it.id for it in digest]
    if ids and len(by_id) == len(calls) and all(it in by_id for it in ids) and len(set(ids)) == len(ids):
        return [by_id[it] for it in ids]
    return calls


def _mentions(step: Step, path: str) -> bool:
    """Whether an argument of a tool call names this file."""
    arguments = step.call.arguments if step.call else None
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    texts = [*path_arguments(arguments), *(it for it in values if isinstance(it, str))]
    return any(it == path or it.endswith(f"/{path}") for it in texts)


def _excerpt_lines(excerpt: str) -> dict[int, str]:
    return dict(_read_excerpt(excerpt))


def _read_excerpt(excerpt: str) -> Iterator[tuple[int, str]]:
    for line in excerpt.split("\n"):
        if found := _EXCERPT_LINE.match(line):
            yield int(found[1]), found[2]


def _has_lines(lines: Sequence[str], shown: Mapping[int, str]) -> bool:
    """Whether a text has the lines of an excerpt at their numbers; long ones are cut there."""
    return all(
        0 < number <= len(lines)
        and (
            lines[number - 1].startswith(text[:-1])
            if text.endswith(_CUT)
            else lines[number - 1].rstrip() == text
        )
        for number, text in shown.items()
    )
