"""The files around a file."""
