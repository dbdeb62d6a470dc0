"""Grader types and meanings of earlier waza generations (docs/reference/waza-graders.md, section 7)."""
