"""Evaluate expressions and Python patterns of eval files, only in child interpreters."""
