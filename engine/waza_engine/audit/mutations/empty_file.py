"""Empty a file that the agent wrote."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_files

_MOST = 3


class EmptyFile(Mutation):
    """One mutant for each file that the agent made or changed, at most three."""

    name = "empty-file"
    about = "empty a file that the agent wrote"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        files = subject.trajectory.files
        for name in [it for it in subject.written if files[it]][:_MOST]:
            yield Mutant(
                f"with an empty file {name}",
                with_files(subject.trajectory, subject.task, {**files, name: ""}),
                before=files[name],
            )
