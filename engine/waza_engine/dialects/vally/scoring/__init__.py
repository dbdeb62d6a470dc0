"""From grader verdicts to the verdict of a trial, a run and a comparison."""
