"""Read and write files that other programs own, or may be writing at the same time."""
