"""Convert a suite to files of another dialect, with its comments, and report every loss."""
