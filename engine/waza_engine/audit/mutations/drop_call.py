"""Drop one tool call: the last one of a tool."""

from collections.abc import Iterator

from waza_engine.audit.calls import Edit, calls_of, with_calls
from waza_engine.audit.mutations.base import Mutant, Mutation, Subject

_MOST = 3


class DropCall(Mutation):
    """One mutant for each tool, at most three."""

    name = "drop-call"
    about = "drop one tool call"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        calls = calls_of(subject.trajectory)
        last = {it.name: it for it in calls}
        for dropped in list(last.values())[:_MOST] if len(calls) > 1 else ():
            edits = [Edit(it.position) for it in calls if it is not dropped]
            yield Mutant(
                f"without {dropped.words}",
                with_calls(subject.trajectory, edits),
                before=dropped.name,
            )
