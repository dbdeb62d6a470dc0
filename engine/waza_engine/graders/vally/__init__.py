"""The grader types of vally, one file each (vally.md, section 7)."""
