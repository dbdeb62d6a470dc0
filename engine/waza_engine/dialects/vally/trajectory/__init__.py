"""A trajectory as vally's graders see it, and in the files that vally reads and writes."""
