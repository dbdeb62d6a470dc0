"""Write and read waza's results JSON."""
