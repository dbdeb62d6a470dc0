"""Experiments: the arms and the evals they run."""
