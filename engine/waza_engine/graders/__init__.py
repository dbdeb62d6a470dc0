"""Grader types: one file each, found by looking into the folder of their dialect."""
