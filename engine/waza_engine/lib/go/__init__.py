"""Strings, globs, regular expressions, paths and JSON as Go's standard library treats them."""
