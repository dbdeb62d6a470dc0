"""`waza-lsp check`: the editor's findings on the command line."""
