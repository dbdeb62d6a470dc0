"""Take the whole trial of another task."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject


class SwapTrial(Mutation):
    """One mutant: the agent did another task."""

    name = "swap-trial"
    about = "take the whole trial of another task"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        other = next((it for it in subject.others if it.prompt != subject.trajectory.prompt), None)
        if other is not None:
            trial = other.model_copy(update={"task": subject.task.id})
            yield Mutant(
                f"with the whole trial of the task '{other.task}'",
                trial,
                before=subject.trajectory.output,
                after=other.output,
            )
