"""Telling files of ours by what stands under a key, where other tools have files with the same keys."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from waza_engine.scalars import Scalar
from waza_engine.validation.spelling import is_slip

_LOOKED_AT = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """What the value of a top-level key looks like in files of ours, as far as other tools use the key, too.

    A mapping is ours with one of the `own` keys, or with one of `types` under `type`; the `common` keys alone say
    nothing.
    `text` judges a text as `verdict` does; without it a text is never ours. Without any keys a mapping says nothing.
    With `named` the keys are names that the author gives, and the values have the shape. With `closed` a strange key
    speaks against a mapping even beside one of the `own` keys.
    """

    own: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    text: Callable[[str], int] | None = None
    named: bool = False
    closed: bool = False

    def verdict(self, value: Any) -> int:
        """More than 0 for a value of ours, less for one of another tool; 0 when it may be either, or is not written."""
        value = value.value if isinstance(value, Scalar) else value
        if isinstance(value, dict | Mapping):  # A `dict` is told at once.
            return self._of_items(value.values()) if self.named else self._of_mapping(value)
        if isinstance(value, list):
            return -1 if self.named and value else self._of_items(value)
        if self.text and isinstance(value, str | int | float) and value != "":
            return self.text(str(value))
        if isinstance(value, str) and value:
            return -1 + self._begins_a_key(value)
        return -1 if isinstance(value, int | float) else 0

    def _of_items(self, values: Iterable[Any]) -> int:
        """The first items speak for all: a later one may be half-written, and the list long."""
        shaped = replace(self, named=False) if self.named else self
        return max((shaped.verdict(it) for it in islice(values, _LOOKED_AT)), default=0)

    def _begins_a_key(self, text: str) -> bool:
        """Whether the text is a key of ours that is being typed."""
        word = text.partition(":")[0]
        return any(it.startswith(word) for it in self.own | self.common)

    def _of_mapping(self, value: Mapping[str, Any]) -> int:
        is_ours = bool(self.own & value.keys()) or (
            isinstance(value.get("type"), str) and value["type"] in self.types
        )
        if is_ours and not self.closed:
            return 1
        if not (self.own or self.common):
            return 0
        # A key without a value is still being written, and one strange key may be a slip.
        known = self.own | self.common
        strange = [key for key, it in value.items() if key not in known and _is_written(it)]
        return -min(len(strange) - self._has_slip(strange), 2) or int(is_ours)

    def _has_slip(self, strange: list[str]) -> bool:
        return any(is_slip(str(key), it) for key in strange for it in self.own)


def _is_written(value: Any) -> bool:
    return (value.value if isinstance(value, Scalar) else value) is not None
