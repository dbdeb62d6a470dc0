"""The audit of open evals: its worker process, and what the editor shows."""
