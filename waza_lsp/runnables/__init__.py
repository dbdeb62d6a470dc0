"""What can be run or graded in a document, and the commands that do it."""
