"""Replace every number of the output by another one."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_output

_OTHER = str.maketrans("0123456789", "7891234560")


class ReplaceNumbers(Mutation):
    """One mutant, if the output has digits: each becomes another digit."""

    name = "replace-numbers"
    about = "replace the numbers in the output"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        output = subject.trajectory.output
        changed = output.translate(_OTHER)
        if changed != output:
            yield Mutant(
                "with other numbers in the output",
                with_output(subject.trajectory, changed),
                before=output,
                after=changed,
            )
