"""What can be wrong with a schema before any value is looked at."""


class SchemaError(ValueError):
    """A schema that waza cannot compile; the text says why."""


class UnknownFileError(SchemaError):
    """The schema refers to a file, and the directory that files start from is not known, or must not be left."""
