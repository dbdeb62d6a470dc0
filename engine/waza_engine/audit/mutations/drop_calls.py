"""Drop all tool calls."""

from collections.abc import Iterator

from waza_engine.audit.calls import calls_of, with_calls
from waza_engine.audit.mutations.base import Mutant, Mutation, Subject


class DropCalls(Mutation):
    """One mutant: the agent called no tool."""

    name = "drop-calls"
    about = "drop all tool calls"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        calls = calls_of(subject.trajectory)
        if calls:
            names = "\n".join(it.name for it in calls)
            yield Mutant("without any tool call", with_calls(subject.trajectory, []), before=names)
