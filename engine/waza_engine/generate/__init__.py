"""JSON Schemas and documentation pages, generated from the models."""
