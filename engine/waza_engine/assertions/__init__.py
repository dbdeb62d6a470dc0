"""Expressions and Python patterns from eval files, evaluated in child interpreters and never in this process."""
