"""Write the suite between the dialects as data of each dialect."""
