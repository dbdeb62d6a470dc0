"""Texts that tell a judge what to look for: built-in rubrics, templates, and how rubric files are read."""
