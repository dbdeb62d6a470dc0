"""Kinds of findings: one file per rule. The docstring is the rule's page, the constant its code."""
