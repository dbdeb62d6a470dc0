"""Facts about waza's files that several rules need."""
