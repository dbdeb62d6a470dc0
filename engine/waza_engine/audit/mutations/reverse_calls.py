"""Reverse the order of the tool calls."""

from collections.abc import Iterator

from waza_engine.audit.calls import Edit, calls_of, with_calls
from waza_engine.audit.mutations.base import Mutant, Mutation, Subject


class ReverseCalls(Mutation):
    """One mutant: the last call comes first."""

    name = "reverse-calls"
    about = "reverse the order of the tool calls"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        calls = calls_of(subject.trajectory)
        names = [it.name for it in calls]
        if names != names[::-1]:
            edits = [Edit(it.position) for it in reversed(calls)]
            yield Mutant(
                "with its tool calls in reverse order",
                with_calls(subject.trajectory, edits),
                before="\n".join(names),
                after="\n".join(names[::-1]),
            )
