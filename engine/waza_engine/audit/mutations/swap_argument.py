"""Give a tool call a wrong argument: the one of another call, else a made-up one."""

from collections.abc import Iterator, Mapping, Sequence

from waza_engine.audit.calls import Call, Edit, calls_of, with_calls
from waza_engine.audit.mutations.base import Mutant, Mutation, Subject

_WRONG = "something-else"


class SwapArgument(Mutation):
    """One mutant: a call that has a text among its arguments gets another one."""

    name = "swap-argument"
    about = "give a tool call a wrong argument"

    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        calls = calls_of(subject.trajectory)
        with_texts = [(it, keys) for it in calls if (keys := _text_keys(it))]
        if not with_texts:
            return
        chance = subject.chance(self.name)
        call, keys = chance.choice(with_texts)
        key = chance.choice(keys)
        old = call.arguments[key]
        new = _other_value(calls, key, old)
        edits = [
            Edit(it.position, arguments={**it.arguments, key: new} if it is call else None) for it in calls
        ]
        yield Mutant(
            f"with a wrong '{key}' in {call.words}",
            with_calls(subject.trajectory, edits),
            before=f"{key}: {old}",
            after=f"{key}: {new}",
        )


def _text_keys(call: Call) -> list[str]:
    if not isinstance(call.arguments, Mapping):
        return []
    return sorted(key for key, it in call.arguments.items() if isinstance(it, str) and it.strip())


def _other_value(calls: Sequence[Call], key: str, old: str) -> str:
    values = (it.arguments.get(key) for it in calls if isinstance(it.arguments, Mapping))
    return next((it for it in values if isinstance(it, str) and it.strip() and it != old), _WRONG)
