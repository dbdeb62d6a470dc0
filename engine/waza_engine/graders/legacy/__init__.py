"""Grader types and meanings of earlier waza generations (waza-graders.md, section 7)."""
