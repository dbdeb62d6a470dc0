"""`waza-lsp rule` and `waza-lsp grader`: the pages of `docs` in the terminal."""
