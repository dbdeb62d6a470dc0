"""`waza-lsp agents`: configure coding agents to start our servers in a project, and undo it."""
