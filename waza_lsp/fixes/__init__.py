"""Fixes of findings as text edits."""
