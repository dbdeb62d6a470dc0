"""The evals, tasks and graders of a document, and the commands that run and grade them."""
