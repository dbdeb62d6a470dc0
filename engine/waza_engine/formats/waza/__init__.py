"""The waza dialect: eval, task, trigger and project files."""
