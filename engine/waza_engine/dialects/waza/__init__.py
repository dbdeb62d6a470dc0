"""The waza dialect."""
