"""The editor's test view: the tree of items and the events of runs."""
