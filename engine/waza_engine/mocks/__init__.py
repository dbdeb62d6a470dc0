"""Mocks that an eval defines for an agent: MCP servers and programs.

See docs/reference/waza-formats.md, section 4.6.
"""
