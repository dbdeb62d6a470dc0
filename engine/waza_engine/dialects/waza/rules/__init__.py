"""Rules for files of waza alone, and its checks of shared rules: one file each."""
