"""Replace the output by that of another task."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_output


class SwapOutput(Mutation):
    """One mutant: the agent did the work, and answered another question."""

    name = "swap-output"
    about = "replace the output by that of another task"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        output = subject.trajectory.output
        other = next((it for it in subject.others if it.output.strip() and it.output != output), None)
        if other is not None:
            yield Mutant(
                f"with the output of the task '{other.task}'",
                with_output(subject.trajectory, other.output),
                before=output,
                after=other.output,
            )
