"""Running a suite: plan, workspace, execute, grade, score, store."""
