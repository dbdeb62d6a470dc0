"""Publish findings to the editor, or answer when it pulls them."""
