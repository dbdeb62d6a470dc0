"""Talking to a judge model."""
