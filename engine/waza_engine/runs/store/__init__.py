"""The run store: every run with its trials and verdicts in one SQLite file."""
