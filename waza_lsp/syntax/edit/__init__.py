"""Text edits that insert, change, move and format YAML."""
