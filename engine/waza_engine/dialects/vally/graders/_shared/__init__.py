"""What several of vally's grader types need."""
