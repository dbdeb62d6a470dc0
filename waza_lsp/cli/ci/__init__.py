"""`waza-lsp ci`: what the GitHub action does, and other CI systems can do: check, run what changed, compare, comment."""
