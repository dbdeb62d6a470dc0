"""General code that knows nothing about evals."""
