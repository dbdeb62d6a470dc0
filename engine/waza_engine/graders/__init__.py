"""What grader types are made with. The types are one file each, in the folders of their dialects."""
