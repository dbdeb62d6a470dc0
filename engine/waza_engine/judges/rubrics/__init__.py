"""Rubrics, which tell a judge what to look for: built in, templates, and files."""
