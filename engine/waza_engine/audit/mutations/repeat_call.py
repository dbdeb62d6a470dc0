"""Repeat a tool call ten times."""

from collections.abc import Iterator

from waza_engine.audit.calls import Edit, calls_of, with_calls
from waza_engine.audit.mutations.base import Mutant, Mutation, Subject

_TIMES = 10


class RepeatCall(Mutation):
    """One mutant: a call is made ten times."""

    name = "repeat-call"
    about = "repeat a tool call ten times"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        calls = calls_of(subject.trajectory)
        if not calls:
            return
        repeated = subject.chance(self.name).choice(calls)
        edits = [
            Edit(it.position, copy=copy) for it in calls for copy in range(_TIMES if it is repeated else 1)
        ]
        yield Mutant(
            f"with {repeated.words} made {_TIMES} times",
            with_calls(subject.trajectory, edits),
            before=repeated.name,
            after=f"{repeated.name} x {_TIMES}",
        )
