"""Recognises the dialect and kind of a file. Plain data, cheap to import."""
