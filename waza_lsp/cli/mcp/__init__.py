"""`waza-lsp mcp`: the tools of this project for agents, over the Model Context Protocol."""
