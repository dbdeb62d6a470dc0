"""Turn the fixes of findings into text edits."""
