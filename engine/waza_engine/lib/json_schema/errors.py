"""Errors of JSON Schemas. They stand apart so that every module of the package can raise them."""


class SchemaError(ValueError):
    """A schema that waza cannot compile; the message gives the reason."""


class UnknownFileError(SchemaError):
    """The schema refers to a file, and the base directory is unknown or the file lies outside of it."""
