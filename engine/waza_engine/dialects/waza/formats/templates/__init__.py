"""The part of Go's text/template that prompts in CSV datasets may use."""
