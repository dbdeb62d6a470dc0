"""Restore an input file to what it was before the agent changed or deleted it."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import input_texts, with_files

_MOST = 3


class RestoreFile(Mutation):
    """One mutant for each input file that the agent changed or deleted, at most three."""

    name = "restore-file"
    about = "restore a file that the agent changed or deleted"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        files = subject.trajectory.files
        gone = set(subject.trajectory.removed)
        changed = {
            name: text
            for name, text in sorted(input_texts(subject.task).items())
            if name in gone or (name in files and files[name] != text)
        }
        for name, text in list(changed.items())[:_MOST]:
            yield Mutant(
                f"with {name} as it was before",
                with_files(subject.trajectory, subject.task, {**files, name: text}),
                before=files.get(name, ""),
                after=text,
            )
