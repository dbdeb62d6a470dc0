"""What Go does otherwise than Python: paths."""
