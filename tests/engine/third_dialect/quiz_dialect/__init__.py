"""The quiz dialect: questions, and what their answers must say."""
