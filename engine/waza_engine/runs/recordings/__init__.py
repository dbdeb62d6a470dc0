"""Find, preview, write and regrade recorded trials."""
