"""Cut the last paragraph of the output."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_output


class CutParagraph(Mutation):
    """One mutant, if the output has several paragraphs."""

    name = "cut-paragraph"
    about = "cut the last paragraph of the output"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        output = subject.trajectory.output
        kept = output.rstrip().rpartition("\n\n")[0]
        if kept.strip():
            yield Mutant(
                "without the last paragraph of the output",
                with_output(subject.trajectory, kept),
                before=output,
                after=kept,
            )
