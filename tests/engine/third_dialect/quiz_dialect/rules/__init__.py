"""Rules for quizzes alone."""
