"""The nouns: suites, trials, records, scores."""
