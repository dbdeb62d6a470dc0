"""Pydantic models of vally's files, and loading them into a `Suite`."""
