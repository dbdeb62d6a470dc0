"""The type of a path into data. It has its own file because `lib` and `model` share it."""

Pointer = tuple[str | int, ...]
"""A path of mapping keys and list indexes; `()` is the whole document or the whole config."""
