"""Edits that insert, change, move and format YAML."""
