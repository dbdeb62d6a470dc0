"""Walking a JSON Schema beside a tree: what may stand here, and what does it mean."""
