"""The findings about judges: one file per rule, each with its page."""
