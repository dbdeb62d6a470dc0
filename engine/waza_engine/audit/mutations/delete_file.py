"""Delete a file that the agent wrote."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_files

_MOST = 3


class DeleteFile(Mutation):
    """One mutant for each file that the agent made or changed, at most three."""

    name = "delete-file"
    about = "delete a file that the agent wrote"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        files = subject.trajectory.files
        for name in subject.written[:_MOST]:
            left = {it: text for it, text in files.items() if it != name}
            yield Mutant(
                f"without the file {name}",
                with_files(subject.trajectory, subject.task, left),
                before=f"{name}\n{files[name]}",
            )
