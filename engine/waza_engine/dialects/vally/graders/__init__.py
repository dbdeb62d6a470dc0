"""The grader types of vally, one file each (docs/reference/vally.md, section 7)."""
