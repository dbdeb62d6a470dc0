"""Which evals, tasks and skills differ from an earlier commit."""
