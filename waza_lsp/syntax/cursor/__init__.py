"""Tell what is at the cursor, in broken text too."""
