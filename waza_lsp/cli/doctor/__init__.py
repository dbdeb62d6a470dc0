"""`waza-lsp doctor`: what is installed here, and what could run."""
