"""The vally dialect: eval specs, project files and experiments (vally.md)."""
