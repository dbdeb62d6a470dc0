"""What the messages need of a `jsonschema` error. The library's own type allows each member to be unset, which none is here."""

from collections.abc import Iterable
from typing import Any, Protocol


class SchemaError(Protocol):
    """One violated keyword: `validator` with its `validator_value`, in `schema`, by `instance` at `absolute_path`."""

    validator: Any
    validator_value: Any
    instance: Any
    schema: Any
    message: str

    @property
    def absolute_path(self) -> Iterable[str | int]: ...
    @property
    def relative_schema_path(self) -> Any: ...
    @property
    def context(self) -> Iterable[Any] | None: ...
