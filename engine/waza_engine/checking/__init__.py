"""Checks on whole files and across files: what a rule sees, and which rules there are."""
