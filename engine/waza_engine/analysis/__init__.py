"""Static analysis: findings about files before anything runs."""
