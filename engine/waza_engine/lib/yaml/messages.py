"""Messages about YAML that both the engine's reader and the language server report.

They stand apart from the reader so that the server can import them without it.
"""

INVALID_KEY = "A key must be a plain word or a quoted string"
INVALID_MERGE = "A merge key needs a mapping or a list of mappings"


def unknown_anchor(name: str) -> str:
    return f"There is no anchor '&{name}' above"


def duplicate_key(key: str) -> str:
    return f"Duplicate key '{key}'"
