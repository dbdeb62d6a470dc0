"""The vally dialect: eval specs, project files and experiments (docs/reference/vally.md)."""
