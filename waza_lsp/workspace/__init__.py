"""The files around a document, for requests."""
