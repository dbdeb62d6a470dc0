"""Read YAML as waza does."""
