"""Executors, which run tasks with an agent: one file each. The registry finds them in this folder."""
