"""Write a suite in another dialect, or in the newest form of its own."""
