"""`waza-lsp coverage`."""
