"""What runs found: verdicts, and in annotations/ what they put on documents."""
