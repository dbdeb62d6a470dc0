"""What runs found: verdicts, annotations in documents, lenses."""
