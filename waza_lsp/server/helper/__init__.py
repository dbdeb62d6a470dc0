"""The helper: one process beside the server for all that takes long, and the parts of the server that ask it."""
