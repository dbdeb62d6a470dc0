"""What a run leaves: records of tasks and trials, scores, evidence, decisions and the verdict on all of them."""
