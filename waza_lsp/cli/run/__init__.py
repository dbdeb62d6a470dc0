"""`waza-lsp run`: perform an eval or an experiment, show progress and write reports."""
