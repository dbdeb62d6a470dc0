"""The data types of an eval: findings, suite, trajectory, results of runs, field types, the judge interface."""
