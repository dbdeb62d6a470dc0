"""A place in data. A file of its own, because general code and the models share it."""

Pointer = tuple[str | int, ...]
"""A path of mapping keys and list indexes; `()` is the whole document or the whole config."""
