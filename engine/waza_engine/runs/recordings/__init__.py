"""Recorded trials: finding, previewing and writing them, and grading them again."""
