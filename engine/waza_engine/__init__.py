"""The grading engine: eval formats, graders, rules, runs. Knows nothing of editors or text positions."""

from waza_engine.version import __version__

__all__ = ["__version__"]
