"""The current grader types of waza (docs/reference/waza-graders.md, section 5)."""
