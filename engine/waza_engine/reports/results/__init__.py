"""waza's results JSON, written and read."""
