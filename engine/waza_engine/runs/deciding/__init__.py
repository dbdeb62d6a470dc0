"""Run trials only where a verdict is open, and stop when everything is decided."""
