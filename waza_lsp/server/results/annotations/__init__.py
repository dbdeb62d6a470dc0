"""What runs and audits put on documents: annotations, kept per file and published beside findings."""
