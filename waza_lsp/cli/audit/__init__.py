"""`waza-lsp audit`."""
