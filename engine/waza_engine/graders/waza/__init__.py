"""The current grader types of waza (waza-graders.md, section 5)."""
