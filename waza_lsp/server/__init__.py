"""The server: pygls wiring, settings, scheduling, and runs started from the editor. Knows no format."""
