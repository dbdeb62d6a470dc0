"""The generations of waza: G1, G2, G3 of the Go program and PY, its Python predecessor."""
