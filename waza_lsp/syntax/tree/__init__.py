"""From text to a tolerant tree with positions, piece by piece."""
