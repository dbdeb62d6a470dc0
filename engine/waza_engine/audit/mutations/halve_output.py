"""Keep only the first half of the output."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_output


class HalveOutput(Mutation):
    """One mutant: the output ends in the middle."""

    name = "halve-output"
    about = "keep only the first half of the output"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        output = subject.trajectory.output
        if len(output.strip()) > 1:
            half = output[: len(output) // 2]
            yield Mutant(
                "with only the first half of the output",
                with_output(subject.trajectory, half),
                before=output,
                after=half,
            )
