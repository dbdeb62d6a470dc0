"""Parse text into a tolerant tree with positions, piece by piece."""
