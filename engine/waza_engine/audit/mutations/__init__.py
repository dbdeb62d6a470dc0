"""Ways to break a recorded trial: one file per mutation."""
