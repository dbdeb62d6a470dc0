"""Static checks of eval files: schema, grader types, rules."""
