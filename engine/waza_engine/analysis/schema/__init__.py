"""Validation of data against the JSON Schema of a file kind."""
