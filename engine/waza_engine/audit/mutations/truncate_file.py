"""Cut off the second half of a file that the agent wrote."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_files

_MOST = 3


class TruncateFile(Mutation):
    """One mutant for each file that the agent made or changed, at most three."""

    name = "truncate-file"
    about = "cut off the second half of a file that the agent wrote"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        files = subject.trajectory.files
        for name in [it for it in subject.written if len(files[it].strip()) > 1][:_MOST]:
            text = files[name]
            half = text[: len(text) // 2]
            yield Mutant(
                f"with only the first half of {name}",
                with_files(subject.trajectory, subject.task, {**files, name: half}),
                before=text,
                after=half,
            )
