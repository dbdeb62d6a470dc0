"""General code that knows nothing about evals: files, processes, YAML, Go's and JavaScript's string rules."""
