"""Read YAML as waza does, and write it."""
