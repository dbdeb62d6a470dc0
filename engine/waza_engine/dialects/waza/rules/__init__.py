"""Rules that apply only to waza files, and the checks of shared rules in waza files, one file each."""
