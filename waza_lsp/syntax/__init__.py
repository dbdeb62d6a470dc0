"""Text to a tolerant YAML tree with exact positions.

No other package parses YAML or counts characters.
"""
