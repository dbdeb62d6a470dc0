"""Judges: ask a model to grade or compare the work of an agent."""
