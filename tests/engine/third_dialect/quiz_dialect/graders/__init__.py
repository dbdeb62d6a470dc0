"""The grader types of quizzes."""
