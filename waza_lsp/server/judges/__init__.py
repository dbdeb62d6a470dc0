"""How far judges can be trusted, beside their graders: lens, hover and hints from kept verdicts."""
