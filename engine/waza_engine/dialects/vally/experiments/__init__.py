"""Experiments: their arms, and the evals they run."""
