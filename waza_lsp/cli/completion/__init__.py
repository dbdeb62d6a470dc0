"""Completion in shells: the scripts, and the values that options and arguments can have."""
