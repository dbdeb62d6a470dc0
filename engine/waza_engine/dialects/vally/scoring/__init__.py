"""Turn grader verdicts into verdicts on trials and comparisons of runs."""
