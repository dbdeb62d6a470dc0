"""Rules for files of vally alone, and its checks of shared rules: one file each."""
