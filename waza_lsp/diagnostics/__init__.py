"""Findings with ranges: from a document's pieces to its diagnostics."""
