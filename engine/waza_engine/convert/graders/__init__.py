"""Convert graders, and restore those that were converted before."""
