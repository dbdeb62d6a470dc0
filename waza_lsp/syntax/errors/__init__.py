"""Syntax errors explained in plain words, with repairs."""
