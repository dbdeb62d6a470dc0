"""Syntax errors in plain words, with repairs."""
