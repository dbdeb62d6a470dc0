"""`waza-lsp judge`: how far to trust the judges of an eval."""
