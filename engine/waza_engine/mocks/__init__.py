"""Stand-ins that an eval describes, for what an agent would use: MCP servers and programs.

See docs/reference/waza-formats.md, section 4.6.
"""
