"""Which evals test a skill, and which clauses of its description no prompt exercises."""
