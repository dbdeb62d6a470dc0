"""Validates data against a JSON Schema and explains errors in the author's words."""
