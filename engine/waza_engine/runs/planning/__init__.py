"""Decide what a run will do before the agent starts."""
