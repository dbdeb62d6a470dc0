"""The helper process itself."""
