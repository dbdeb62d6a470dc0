"""A run for other eyes: waza's results JSON, JUnit, text and HTML. Each is a pure function of a `RunRecord`."""
