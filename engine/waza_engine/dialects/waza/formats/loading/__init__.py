"""Loads an eval and everything it names into a `Suite`."""
