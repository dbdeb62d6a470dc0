"""`waza-lsp studio`: a local page for people without our editor extension. The page speaks to the same language server."""
