"""Reading and writing files that others wrote, or may be writing at the same time."""
