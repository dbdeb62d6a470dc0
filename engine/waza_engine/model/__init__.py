"""The data types of an eval: findings, suite, trajectory, records, scores, field types, the judge interface."""
