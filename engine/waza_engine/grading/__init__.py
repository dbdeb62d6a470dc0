"""From grader entries and a recorded trial to verdicts, one trial at a time or in batches."""
