"""Negate a sentence of the output: "it is" becomes "it is not", and the reverse."""

from collections.abc import Iterator

from waza_engine.audit.mutations.base import Mutant, Mutation, Subject
from waza_engine.audit.texts import with_output

_VERBS = (
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "can",
    "could",
    "will",
    "would",
    "should",
    "must",
    "does",
    "do",
    "did",
)


class NegateSentence(Mutation):
    """One mutant, if the output has a verb that can be negated."""

    name = "negate-sentence"
    about = "negate a sentence of the output"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        parts = subject.trajectory.output.split(" ")
        places = [index for index, it in enumerate(parts) if it in _VERBS]
        if not places:
            return
        index = subject.chance(self.name).choice(places)
        changed = list(parts)
        if index + 1 < len(parts) and parts[index + 1] == "not":
            del changed[index + 1]
        else:
            changed.insert(index + 1, "not")
        near = slice(max(0, index - 4), index + 6)
        yield Mutant(
            "with a negated sentence",
            with_output(subject.trajectory, " ".join(changed)),
            before=" ".join(parts[near]),
            after=" ".join(changed[near]),
        )
