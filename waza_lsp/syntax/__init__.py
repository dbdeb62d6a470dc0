"""Text to a tolerant YAML tree with exact positions. Nothing above this package parses or counts characters."""
