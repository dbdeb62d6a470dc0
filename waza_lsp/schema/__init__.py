"""JSON Schemas beside syntax trees: which values fit at a pointer, and what they mean."""
