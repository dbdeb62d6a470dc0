"""The commands that editors execute."""
