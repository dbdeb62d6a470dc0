"""Which evals test the skills of open SKILL.md files."""
