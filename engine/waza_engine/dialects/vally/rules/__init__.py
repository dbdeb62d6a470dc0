"""Rules that apply only to vally files, and the checks of shared rules in vally files, one file each."""
