"""Data against a generated JSON Schema: errors as findings in the author's words."""
