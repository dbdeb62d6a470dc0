"""The findings about descriptions of skills: one file per rule."""
