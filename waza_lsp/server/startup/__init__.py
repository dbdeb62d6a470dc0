"""Start the server fast: first answers before the protocol library is imported."""
