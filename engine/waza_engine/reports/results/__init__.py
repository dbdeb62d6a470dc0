"""Write and read results: waza's JSON, and files with one line per trial."""
