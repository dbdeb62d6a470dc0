"""`waza-lsp new`: create evals, tasks, graders, skills and experiments to begin with."""
