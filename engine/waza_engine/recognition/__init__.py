"""Which dialect and kind a file is: plain data, cheap to import."""
