"""What a run will do, decided before the agent starts."""
