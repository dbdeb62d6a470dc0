"""Completion candidates and how each is inserted."""
