"""The one place that names the version; the build reads it too."""

__version__ = "1.0.0"
