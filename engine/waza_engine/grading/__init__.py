"""Grades recorded trials by grader entries, one trial at a time or in batches."""
