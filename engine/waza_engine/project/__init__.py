"""Documents, and the files around them: suites, skills, settings."""
