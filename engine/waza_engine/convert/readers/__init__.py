"""Read a suite of each dialect into the suite between the dialects."""
