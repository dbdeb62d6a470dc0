"""The document of the trace viewer: what an agent did step by step, its workspace after each step, and the verdicts."""
