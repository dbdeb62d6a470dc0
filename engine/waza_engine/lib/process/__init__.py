"""Start other programs, limit them, and leave none of them behind."""
