"""Runs started from the editor: child process, progress, events."""
