"""What an audit tells the author: one file per code, whose docstring is its page."""
