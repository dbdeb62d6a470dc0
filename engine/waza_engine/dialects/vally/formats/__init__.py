"""Pydantic models of vally's files, and loading a spec into a `Suite`."""
