"""Code shared by several of vally's grader types."""
