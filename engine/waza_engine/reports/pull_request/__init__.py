"""What a pull request changes: a summary as data, and the comment made of it."""
