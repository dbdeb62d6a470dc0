"""Grade recorded work: contexts, stored runs, recordings."""
