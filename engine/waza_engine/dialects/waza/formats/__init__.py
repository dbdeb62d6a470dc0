"""Pydantic models of waza's files: one section of a file per module."""
