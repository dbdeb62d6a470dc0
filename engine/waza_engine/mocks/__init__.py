"""Stand-ins that an eval describes, for what an agent would use: MCP servers and programs (waza-formats.md, section 4.6)."""
