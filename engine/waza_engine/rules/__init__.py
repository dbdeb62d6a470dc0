"""Rules of all dialects, one file each. The docstring is the rule's page, the constant its code."""
