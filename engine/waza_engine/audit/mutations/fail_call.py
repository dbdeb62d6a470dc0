"""Make the result of a tool call an error."""

from collections.abc import Iterator

from waza_engine.audit.calls import Edit, calls_of, with_calls
from waza_engine.audit.mutations.base import Mutant, Mutation, Subject

_ERROR = "Error: permission denied"


class FailCall(Mutation):
    """One mutant: the last tool call fails."""

    name = "fail-call"
    about = "make the result of a tool call an error"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        calls = calls_of(subject.trajectory)
        if calls:
            edits = [Edit(it.position, error=_ERROR if it is calls[-1] else "") for it in calls]
            yield Mutant(
                f"with an error as the result of {calls[-1].words}",
                with_calls(subject.trajectory, edits),
                after=_ERROR,
            )
