"""Live grading: grade recordings again after an edit, in a worker process."""
