"""The vally dialect."""
