"""Starting other programs, limiting them, and leaving none of them behind."""
