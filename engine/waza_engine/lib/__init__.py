"""General code that knows nothing of evals."""
