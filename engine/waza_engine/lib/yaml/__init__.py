"""Reading YAML as waza does, and writing it back with its comments."""
